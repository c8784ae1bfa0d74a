import {
  archiveWorkstream,
  createWorkstream,
  event,
  listWorkstreams,
  openWorkstream,
  patchWorkstream,
  unavailable,
  type Workstream,
} from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { aCaller, aCommand } from '@cardinal/testkit';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { finishEndings } from '../src/workstreams/endings.ts';
import { askForNumbers, aWorkstream, startWorld } from './support/world.ts';

const world = await startWorld();
const [instance] = [await world.start(), await world.start()];
beforeEach(() => {
  world.card.beforeClose = async () => {};
});

/** The events of a workspace, in order. */
const eventsOf = async ({ workspace_id }: { workspace_id: string }) => {
  const { rows } = await instance.context.db.read((tx) =>
    sql<{ seq: number; event: object }>`
      select seq, event from changes where workspace_id = ${workspace_id} order by seq`.execute(tx),
  );
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
  return rows.map(({ seq, event: one }) => event.parse({ seq, ...one }));
};

/** The events after the first two, which create `MAIN` and another workstream. */
const eventsSince = async (who: { workspace_id: string }) => (await eventsOf(who)).slice(2);

const within = <T>(requestId: string, work: () => T): T =>
  runInContext(newContext({ requestId, timeoutMs: 60_000 }), work);

const written = ({ id }: Workstream, if_match = 1) => ({
  command: aCommand(),
  workstream_id: id,
  if_match: [if_match],
});

test('a new workstream has an event, after that of the default one', async () => {
  const who = aCaller();
  const request = { ...who, command: aCommand(), is_admin: true, body: { name: 'Payments', prefix: 'PAY' } };
  const { resource } = await within('request-7', () => world.bus.call(createWorkstream, request));
  expect(await world.bus.call(createWorkstream, request)).toMatchObject({ replayed: true });
  const again = { ...request, command: aCommand() };
  await expect(world.bus.call(createWorkstream, again)).rejects.toMatchObject({ code: 'conflict' });
  expect(await eventsOf(who)).toEqual([
    expect.objectContaining({ type: 'workstream.created', data: expect.objectContaining({ prefix: 'MAIN' }) }),
    {
      id: expect.any(String),
      seq: 2,
      type: 'workstream.created',
      at: resource.created_at,
      actor: { user_id: who.user_id, api_key_id: null },
      request_id: 'request-7',
      card: null,
      board_id: null,
      subject: { type: 'workstream', id: resource.id, version: 1 },
      changed: [],
      previous: {},
      data: resource,
    },
  ]);
});

test('the default workstream has one event, however many requests race, by one of their users', async () => {
  const { workspace_id } = aCaller();
  const askers = Array.from({ length: 10 }, () => aCaller(workspace_id));
  await Promise.all(
    askers.map((who) => world.bus.call(listWorkstreams, { ...who, archived: false, page: { limit: 10 } })),
  );
  const [made, ...others] = await eventsOf({ workspace_id });
  expect(others).toEqual([]);
  expect(askers.map(({ user_id }) => user_id)).toContain(made?.actor.user_id);
});

test('where its first number creates it, the event has the requesting user, where known', async () => {
  const [who, nobody] = [aCaller(), aCaller()];
  await askForNumbers(world, who, { user_id: who.user_id });
  await askForNumbers(world, nobody);
  const expected = { type: 'workstream.created', actor: { user_id: who.user_id }, data: { prefix: 'MAIN' } };
  expect(await eventsOf(who)).toMatchObject([expected]);
  expect(await eventsOf(nobody)).toEqual([]);
});

test('an edit has an event with the previous values, and none where nothing changes', async () => {
  const who = aCaller();
  const pay = await aWorkstream(world, who, 'PAY');
  const edit = { ...who, ...written(pay), body: { name: 'Payments', description: 'x'.repeat(300) } };
  const { resource } = await world.bus.call(patchWorkstream, edit);
  await world.bus.call(patchWorkstream, edit);
  await world.bus.call(patchWorkstream, { ...edit, ...written(resource, 2) });
  await world.bus.call(patchWorkstream, { ...who, ...written(resource, 2), body: { description: null } });
  expect(await eventsSince(who)).toMatchObject([
    {
      type: 'workstream.updated',
      subject: { version: 2 },
      changed: ['name', 'description'],
      previous: { name: 'PAY', description: null },
      data: resource,
    },
    { type: 'workstream.updated', subject: { version: 3 }, changed: ['description'], previous: {} },
  ]);
});

test('an archive has one event, and a repeated one none', async () => {
  const who = aCaller();
  const pay = await aWorkstream(world, who, 'PAY');
  const request = { ...who, ...written(pay) };
  const { resource } = await within('request-8', () => world.bus.call(archiveWorkstream, request));
  await world.bus.call(archiveWorkstream, request);
  await world.bus.call(archiveWorkstream, { ...who, ...written(pay, 2) });
  expect(await eventsSince(who)).toMatchObject([
    {
      type: 'workstream.archived',
      actor: { user_id: who.user_id },
      request_id: 'request-8',
      at: resource.archived_at,
      changed: ['archived_at'],
      previous: { archived_at: null },
      data: resource,
    },
  ]);
});

test('an archive that others finish has an event of the request that began it', async () => {
  const who = aCaller();
  const pay = await aWorkstream(world, who, 'PAY');
  world.card.beforeClose = async () => {
    throw unavailable('The test says so');
  };
  const archive = () => world.bus.call(archiveWorkstream, { ...who, ...written(pay) });
  await expect(within('request-9', archive)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await eventsSince(who)).toEqual([]);
  world.card.beforeClose = async () => {};
  await within('of-the-sweeper', () => finishEndings(instance.context));
  const expected = { type: 'workstream.archived', actor: { user_id: who.user_id }, request_id: 'request-9' };
  expect(await eventsSince(who)).toMatchObject([expected]);
});

test('an archive that the previous release began is finished without an event, as its user is unknown', async () => {
  const who = aCaller();
  const pay = await aWorkstream(world, who, 'PAY');
  await instance.context.db.transaction((tx) =>
    tx.updateTable('workstreams').set({ closing: aCommand().id }).where('id', '=', pay.id).execute(),
  );
  await finishEndings(instance.context);
  expect(await eventsSince(who)).toEqual([]);
});

test('an opening has an event, a refused one has none', async () => {
  const who = aCaller();
  const web = await aWorkstream(world, who, 'WEB', { adopting: true });
  world.card.adopted = 7182;
  const low = { ...who, ...written(web), body: { next_number: 7182 } };
  await expect(world.bus.call(openWorkstream, low)).rejects.toMatchObject({ code: 'validation_error' });
  const { resource } = await world.bus.call(openWorkstream, { ...who, ...written(web), body: {} });
  expect(await eventsSince(who)).toMatchObject([
    { type: 'workstream.opened', changed: ['adopting'], previous: { adopting: true }, data: resource },
  ]);
});
