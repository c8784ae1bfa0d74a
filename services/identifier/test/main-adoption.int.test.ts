import {
  type Caller,
  createWorkstream,
  listWorkstreams,
  markKey,
  mark as markSchema,
  openWorkstream,
  prepareAdoption,
  recordIdentifiers,
  type Workstream,
} from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDefaultWorkstreams } from '../src/workstreams/defaults.ts';
import { askForNumbers, aWorkstream, issued, spread, startWorld } from './support/world.ts';

const world = await startWorld();
const [instance] = [await world.start(), await world.start()];

const requestOf = (caller: Caller, command = aCommand()) => ({
  ...caller,
  command,
  is_admin: true,
  body: { name: 'Moved in', prefix: 'MAIN', adopting: true },
});
const adoptInMain = async (caller: Caller) => (await world.bus.call(createWorkstream, requestOf(caller))).resource;
const mainOf = async (caller: Caller): Promise<Workstream> => {
  const { items } = await world.bus.call(listWorkstreams, { ...caller, archived: false, page: { limit: 1 } });
  return items[0] as Workstream;
};
const prepare = ({ workspace_id }: Caller, { id }: Workstream, numbers: number[], epoch = 1) =>
  world.bus.call(prepareAdoption, { workspace_id, workstream_id: id, epoch, numbers, former: [] });
const open = (caller: Caller, { id, version }: Workstream, body = {}) =>
  world.bus.call(openWorkstream, { ...caller, workstream_id: id, command: aCommand(), if_match: [version], body });
const markOf = async ({ workspace_id }: Caller) =>
  markSchema.parse((await instance.context.bus.register.read(markKey(workspace_id, 'MAIN'))).value);
const conflict = { code: 'conflict' };
const codeOf = (error: { code: string }) => error.code;

test('MAIN adopts before the first card, with a name, and issues nothing until it is opened', async () => {
  const caller = aCaller();
  const main = await mainOf(caller);
  const request = requestOf(caller);
  await expect(world.bus.call(createWorkstream, { ...request, is_admin: false })).rejects.toMatchObject({
    code: 'insufficient_scope',
  });
  const { resource } = await world.bus.call(createWorkstream, request);
  expect(resource).toMatchObject({ id: main.id, version: 2, name: 'Moved in', is_default: true, adopting: true });
  expect(await mainOf(caller)).toEqual(resource);
  await expect(askForNumbers(world, caller, {})).rejects.toMatchObject(conflict);
  expect(await markOf(caller)).toMatchObject({ through: 0, adopting: true });
  expect(await prepare(caller, resource, [7])).toMatchObject({ epoch: 1, workstreams: [{ id: main.id }] });
  await expect(adoptInMain(caller)).rejects.toMatchObject(conflict);
  expect(await world.bus.call(createWorkstream, request)).toEqual({ resource, replayed: true });

  world.card.adopted = 7;
  const { resource: opened } = await open(caller, resource);
  expect(opened).toMatchObject({ version: 3, adopting: false });
  expect(await askForNumbers(world, caller, { last_number: 7 })).toMatchObject({ granted_through: 15 });
  await expect(adoptInMain(caller)).rejects.toMatchObject(conflict);
  expect(await world.bus.call(createWorkstream, request)).toEqual({ resource, replayed: true });
  const { rows } = await instance.context.db.read((tx) =>
    sql<{ type: string; changed: string[] }>`
      select event ->> 'type' as type, event -> 'changed' as changed from changes
      where workspace_id = ${caller.workspace_id} order by seq`.execute(tx),
  );
  expect(rows).toEqual([
    { type: 'workstream.created', changed: [] },
    { type: 'workstream.updated', changed: ['name', 'adopting'] },
    { type: 'workstream.opened', changed: ['adopting'] },
  ]);
});

test('MAIN cannot adopt again, even where nothing was adopted: an opening is for ever', async () => {
  const caller = aCaller();
  world.card.adopted = 0;
  await open(caller, await adoptInMain(caller));
  await expect(adoptInMain(caller)).rejects.toMatchObject(conflict);
  expect(await askForNumbers(world, caller, {})).toMatchObject({ granted_through: 8 });
});

test('MAIN cannot adopt where any workstream has a card, even where only the ledger or the register knows', async () => {
  const [granted, elsewhere, recorded, rolledBack] = [aCaller(), aCaller(), aCaller(), aCaller()];
  await askForNumbers(world, granted, {});
  const pay = await aWorkstream(world, elsewhere, 'PAY');
  await askForNumbers(world, elsewhere, { workstream_id: pay.id });
  const web = await aWorkstream(world, recorded, 'WEB', { adopting: true });
  await world.bus.call(recordIdentifiers, { issued: [issued(recorded, web, 3)] });
  await askForNumbers(world, rolledBack, {});
  await rollBack(rolledBack);
  for (const caller of [granted, elsewhere, recorded, rolledBack]) {
    await expect(adoptInMain(caller)).rejects.toMatchObject(conflict);
    expect(await mainOf(caller)).toMatchObject({ adopting: false, name: 'Main' });
  }
  // A refusal leaves nothing in the register that a later rollback would bring back.
  for (const caller of [elsewhere, recorded]) expect(await markOf(caller)).toMatchObject({ adopting: false });
});

/** Sets the database back to before `MAIN` adopted, or was asked for a number. */
const rollBack = ({ workspace_id }: Caller) =>
  instance.context.db.transaction((tx) =>
    sql`
      update workstreams set version = 1, name = 'Main', adopting = false, granted_through = 0, granted_at = null,
        grant_size = null, adopted_through = 0
      where workspace_id = ${workspace_id} and is_default`.execute(tx),
  );

test('a database that was rolled back learns from the register that MAIN adopts', async () => {
  const caller = aCaller();
  const main = await adoptInMain(caller);
  await prepare(caller, main, [7]);
  await rollBack(caller);
  await instance.context.marks.reconcile();
  expect(await mainOf(caller)).toMatchObject({ adopting: true });
  await expect(askForNumbers(world, caller, {})).rejects.toMatchObject(conflict);
  expect(await prepare(caller, main, [8])).toMatchObject({ workstreams: [{ id: main.id }] });
});

test('a database that forgot MAIN creates it again as it was', async () => {
  const caller = aCaller();
  const main = await adoptInMain(caller);
  await prepare(caller, main, [7]);
  await instance.context.db.transaction((tx) =>
    sql`delete from workstreams where workspace_id = ${caller.workspace_id}`.execute(tx),
  );
  // As a process that does not remember having created it.
  await createDefaultWorkstreams(instance.context)(caller.workspace_id, caller.user_id);
  expect(await mainOf(caller)).toMatchObject({ id: main.id, adopting: true });
});

test.each([0, 1, 4, 8, 12, 15, 16])(
  'sixteen at once beside a first create, the create as number %i: one begins to adopt, or the create gets its number',
  async (place) => {
    for (const isNew of [true, false]) {
      const caller = aCaller();
      if (!isNew) await mainOf(caller);
      const answers = await spread(17, (at) =>
        at === place
          ? askForNumbers(world, caller, {}).then(() => 'issued', codeOf)
          : adoptInMain(caller).then(() => 'adopts', codeOf),
      );
      const [created] = answers.splice(place, 1);
      expect(answers.filter((answer) => answer !== 'conflict')).toEqual(created === 'issued' ? [] : ['adopts']);
      expect(created === 'issued' ? 'conflict' : created).toBe('conflict');
      expect(await mainOf(caller)).toMatchObject({ adopting: created === 'conflict' });
    }
  },
);
