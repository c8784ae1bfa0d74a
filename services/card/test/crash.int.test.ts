import { archiveWorkstream, type Caller, getCard, type Workstream } from '@cardinal/contracts';
import { openDatabase } from '@cardinal/db';
import { type Failpoint, newContext, runInContext } from '@cardinal/runtime';
import { aCaller, aCommand, eventually, rounds } from '@cardinal/testkit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Tables } from '../src/database.ts';
import { aCard, aColumn, aWorkstream, create, patch } from './support/builders.ts';
import { type Fixture, startAlone } from './support/fixture.ts';
import { startWhole } from './support/instance.ts';
import { startReal } from './support/real-service.ts';

let fixture: Fixture;
let living: Awaited<ReturnType<typeof startWhole>>;
/** Those that are killed are processes; who lives on does so in this one: that costs a fifth. */
const live = () => startWhole({ databaseUrl: fixture.urls.card, natsUrl: fixture.natsUrl });
let db: ReturnType<typeof openDatabase<Tables>>;

beforeAll(async () => {
  fixture = await startAlone({ instances: 0 });
  db = openDatabase<Tables>({ url: fixture.urls.card, name: 'test' });
  [living] = await Promise.all([live(), startReal(fixture, 'identifier')]);
});
afterAll(() => Promise.all([living.stop(), db.close()]));

test('a stopped service ends by itself, without a failure', async () => {
  await living.stop();
  const card = await startReal(fixture, 'card');
  await aCard(fixture, aCaller());
  await card.stop();
  expect(await card.exited).toEqual({ code: 0, signal: null });
  living = await live();
});

const failpoints: Failpoint[] = ['before-commit', 'after-commit', 'before-record', 'between-record-and-mark'];

test.each(failpoints)('killed %s, a card is made once and a transfer with edits is whole', async (failpoint) => {
  const caller = aCaller();
  const web = await aWorkstream(fixture, caller, 'WEB');
  const { column } = await aColumn(fixture, caller);
  const { resource: card } = await create(fixture, caller, column.id);
  await allRecorded(); // or the doomed one meets its failpoint before it is ready
  await living.stop();

  const doomed = await startReal(fixture, 'card', { FAILPOINT: failpoint });
  const [creating, patching] = [aCommand(), aCommand()];
  const wish = { title: 'New', workstream_id: web.id };
  const asked = runInContext(newContext({ timeoutMs: 60_000 }), () => [
    patch(fixture, caller, card, wish, patching),
    create(fixture, caller, column.id, { title: 'Second', workstream_id: web.id }, creating),
  ]);
  // What the killed instance had in hand is never answered; it is asked for again below.
  for (const lost of asked) lost.catch(() => {});
  expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' });

  living = await live();
  const patched = await patch(fixture, caller, card, wish, patching);
  const created = await create(fixture, caller, column.id, { title: 'Second', workstream_id: web.id }, creating);
  expect(patched.resource).toMatchObject({ version: 3, title: 'New', workstream: { prefix: 'WEB' } });
  expect(await fixture.bus.call(getCard, { ...caller, card_id: card.id })).toEqual(patched.resource);
  expect(await nextIn(caller, column.id, web)).toBe('WEB-3');
  expect([patched, created].map((answer) => answer.resource.identifier).sort()).toEqual(['WEB-1', 'WEB-2']);

  await allRecorded();
  const cards = await db.read((tx) =>
    tx.selectFrom('cards').select('id').where('workspace_id', '=', caller.workspace_id).execute(),
  );
  expect(cards).toHaveLength(3);
});

/** Waits until the ledger has every number that was issued. */
const allRecorded = () =>
  eventually(async () => {
    const left = await db.read((tx) => tx.selectFrom('issued').selectAll().where('recorded_at', 'is', null).execute());
    expect(left).toEqual([]);
  });

/** The number that a workstream gives out next, and so how many it has given out. */
const nextIn = async (caller: Caller, columnId: string, workstream: Workstream) =>
  (await create(fixture, caller, columnId, { workstream_id: workstream.id })).resource.identifier;

test('after the answer to an archive no number is issued, however many clients create, and whoever is killed', async () => {
  const second = await startReal(fixture, 'card');
  const caller = aCaller();
  const { column } = await aColumn(fixture, caller);
  for (let round = 0; round < rounds(200, 3); round += 1) {
    const web = await aWorkstream(fixture, caller, `WEB${round}`);
    const issued: number[] = [];
    let archived = false;
    onTestFinished(() => {
      archived = true;
    });
    const clients = Array.from({ length: 16 }, async () => {
      while (!archived) {
        await runInContext(newContext({ timeoutMs: 5_000 }), () =>
          create(fixture, caller, column.id, { workstream_id: web.id }),
        ).then(
          ({ resource }) => issued.push(Number(resource.identifier.split('-')[1])),
          () => undefined,
        );
      }
    });
    await eventually(() => expect(issued.length).toBeGreaterThan(round));
    const command = aCommand();
    const archive = () =>
      fixture.bus.call(archiveWorkstream, { ...caller, workstream_id: web.id, command, if_match: [web.version] });
    const archiving = eventually(async () => expect((await archive()).resource.archived_at).not.toBeNull());
    if (round === 1) second.kill('SIGKILL');
    await archiving;
    const lastOf = () =>
      db.read((tx) => tx.selectFrom('workstreams').selectAll().where('id', '=', web.id).executeTakeFirstOrThrow());
    const { last_number } = await lastOf();
    archived = true;
    await Promise.all(clients);
    await expect(create(fixture, caller, column.id, { workstream_id: web.id })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await lastOf()).toMatchObject({ last_number, closed: true });
    expect(Math.max(...issued)).toBeLessThanOrEqual(last_number);
    expect(new Set(issued).size).toBe(issued.length);
    const { made } = await db.read((tx) =>
      tx
        .selectFrom('cards')
        .select((eb) => eb.fn.countAll<number>().as('made'))
        .where('workstream_id', '=', web.id)
        .executeTakeFirstOrThrow(),
    );
    expect(made).toBe(last_number);
  }
});
