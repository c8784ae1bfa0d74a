import { randomUUID } from 'node:crypto';
import { runStatements } from '@cardinal/servers';
import { eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, untilAnswered, workspaceWithBoard } from './workspace.ts';

type Service = 'card' | 'identifier';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  return () => world.stop();
});

const unpublished = 'select count(*) from card.outbox where published_at is null';
const unrecorded = 'select count(*) from card.issued where recorded_at is null';
/** What earlier tests left a service to do, of which it would die before a test's own requests reach it. */
const leftTo: Record<string, string> = {
  'between-publish-and-mark': unpublished,
  'before-record': unrecorded,
};

const arm = async (service: Service, failpoint: string) => {
  const left = leftTo[failpoint];
  const isDone = async () => expect(await runStatements(world.adminUrl, [left as string])).toEqual([{ count: 0 }]);
  if (left) await eventually(isDone, { everyMs: 100 });
  await world.restart(service, { failpoint });
};

// The card service's own tests kill it at every step of a write and of its reports to the ledger.
const failpoints: [string, Service][] = [
  ['between-publish-and-mark', 'card'],
  ['after-grant', 'identifier'],
];

describe.each(failpoints)('killed at %s (%s service)', (failpoint, service) => {
  it('a create, a transfer, a transfer with edits and a delete end once, whole, and answer their repetition', async () => {
    const { client, board, column } = await workspaceWithBoard(world);
    const pay = await client.createWorkstream('PAY');
    const moved = await client.createCard(column.id, 'moved');
    const edited = await client.createCard(column.id, 'edited');
    const deleted = await client.createCard(column.id, 'deleted');
    await arm(service, failpoint);

    const key = randomUUID();
    const create = () =>
      client.post(`/columns/${column.id}/cards`, { key, body: { title: 'made', workstream_id: pay.id } });
    const transfer = () => client.transfer(moved, pay.id, { key: `${key}-transfer` });
    const patch = () =>
      client.patch(`/cards/${edited.id}`, { ifMatch: 1, body: { workstream_id: pay.id, title: 'both' } });
    // The one of them that other services learn of by an event.
    const remove = () => client.delete(`/cards/${deleted.id}`, { ifMatch: 1 });
    const inFlight = Promise.allSettled([create(), transfer(), patch(), remove()]);
    await world.exited(service);
    await world.restart(service);
    await inFlight;

    const created = await untilAnswered(create);
    expect(created).toMatchObject({ status: 201, body: { data: { title: 'made', version: 1 } } });
    const transferred = await untilAnswered(transfer);
    expect(transferred).toMatchObject({ status: 200, body: { data: { id: moved.id, version: 2 } } });

    // The PATCH has no key to repeat it by: it is done whole or not at all.
    const repeated = await untilAnswered(patch);
    expect([200, 412]).toContain(repeated.status);
    const patched = await client.card(edited.id);
    expect(patched).toMatchObject({ title: 'both', version: 3, workstream: { id: pay.id } });

    expect([204, 404]).toContain((await untilAnswered(remove)).status);
    expect((await client.get(`/cards/${deleted.id}`)).status).toBe(404);

    const cards = await client.all(`/boards/${board.id}/cards`);
    expect(cards).toHaveLength(3);
    expect(cards.map((card) => card.identifier).sort()).toEqual(['PAY-1', 'PAY-2', 'PAY-3']);
    for (const card of cards) {
      const history = await client.all(`/cards/${card.id}/identifiers`);
      expect(history.filter((entry) => entry.is_current).map((entry) => entry.identifier)).toEqual([card.identifier]);
      for (const { identifier } of history) {
        expect((await client.get(`/cards/by-identifier/${identifier}`)).body.data).toMatchObject({
          card: { id: card.id },
          current_identifier: card.identifier,
        });
      }
    }
    expect((await client.createCard(column.id, 'next', { workstream_id: pay.id })).identifier).toBe('PAY-4');
  });
});

describe('killed before the ledger knows', () => {
  it('an alias resolves at once after the start, and for ever', async () => {
    const { client, column } = await workspaceWithBoard(world);
    const pay = await client.createWorkstream('PAY');
    await arm('card', 'before-record');
    const key = randomUUID();
    const create = () => client.post(`/columns/${column.id}/cards`, { key, body: { title: 'unrecorded' } });
    await create().catch(() => undefined);
    await world.exited('card');
    await world.restart('card');

    const { data: card } = (await untilAnswered(create)).body;
    expect((await client.transfer(card, pay.id)).status).toBe(200);
    // Another user: the gateway may have cached what the first one has seen.
    const reader = await clientOf(world, { workspace: client.workspaceId });
    const found = await reader.get('/cards/by-identifier/MAIN-1');
    expect(found.body.data).toMatchObject({ card: { id: card.id }, is_alias: true, current_identifier: 'PAY-1' });
    const history = await client.all(`/cards/${card.id}/identifiers`);
    expect(history.map(({ identifier }) => identifier)).toEqual(['MAIN-1', 'PAY-1']);
  });
});

// The identifier service's own tests kill it at every step of an archive.
describe('an archive killed between the card service and its own commit', () => {
  it('ends by itself or when it is repeated, and no number is issued after its answer', async () => {
    const { client, column } = await workspaceWithBoard(world);
    const pay = await client.createWorkstream('PAY');
    const create = () => client.post(`/columns/${column.id}/cards`, { body: { title: 'card', workstream_id: pay.id } });
    await untilAnswered(create);
    await arm('identifier', 'after-close');
    const key = randomUUID();
    const archive = () => client.post(`/workstreams/${pay.id}/archive`, { key, ifMatch: pay.version });
    await archive().catch(() => undefined);
    await world.exited('identifier');
    await world.restart('identifier');

    const answer = await untilAnswered(archive);
    expect(answer).toMatchObject({ status: 200, body: { data: { version: 2, archived_at: expect.any(String) } } });
    expect((await untilAnswered(create)).status).toBe(409);
    expect(await client.data(client.get(`/workstreams/${pay.id}`))).toEqual(answer.body.data);
  });
});
