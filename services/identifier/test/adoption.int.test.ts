import {
  archiveWorkstream,
  type Caller,
  createWorkstream,
  getWorkstream,
  listIdentifiers,
  markKey,
  mark as markSchema,
  openWorkstream,
  prepareAdoption,
  recordIdentifiers,
  unavailable,
  type Workstream,
} from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { aCaller, aCommand } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { finishEndings } from '../src/workstreams/endings.ts';
import { askForNumbers, aWorkstream, issued, startWorld } from './support/world.ts';

const world = await startWorld();
const [instance] = [await world.start(), await world.start()];
beforeEach(() => {
  world.card.beforeClose = async () => {};
  world.card.adopted = 0;
});

const adopting = (caller: Caller, prefix: string) => aWorkstream(world, caller, prefix, { adopting: true });
const prepare = ({ workspace_id }: Caller, { id }: Workstream, numbers: number[], former: string[] = [], epoch = 1) =>
  world.bus.call(prepareAdoption, { workspace_id, workstream_id: id, epoch, numbers, former });
const open = (caller: Caller, { id }: Workstream, body = {}, command = aCommand(), if_match = [1]) =>
  world.bus.call(openWorkstream, { ...caller, workstream_id: id, command, if_match, body });
const markOf = async ({ workspace_id }: Caller, prefix: string) =>
  markSchema.parse((await instance.context.bus.register.read(markKey(workspace_id, prefix))).value);
const fail = async () => {
  throw unavailable('The test says so');
};
const conflict = { code: 'conflict' };

describe('an adopting workstream', () => {
  test('is created by an admin alone, and shows `adopting` until it is opened or archived', async () => {
    const caller = aCaller();
    const request = { ...caller, command: aCommand(), body: { name: 'Web', prefix: 'WEB', adopting: true } };
    await expect(world.bus.call(createWorkstream, request)).rejects.toMatchObject({ code: 'insufficient_scope' });
    const web = await adopting(caller, 'WEB');
    expect(web).toMatchObject({ adopting: true, archived_at: null });
    const { resource } = await world.bus.call(archiveWorkstream, {
      ...caller,
      workstream_id: web.id,
      command: aCommand(),
      if_match: [1],
    });
    expect(resource).toMatchObject({ adopting: false, archived_at: expect.any(String) });
    await expect(prepare(caller, web, [1])).rejects.toMatchObject(conflict);
    await expect(open(caller, web, {}, aCommand(), [2])).rejects.toMatchObject(conflict);
  });

  test('is never an existing one', async () => {
    const caller = aCaller();
    await aWorkstream(world, caller, 'WEB');
    await expect(adopting(caller, 'WEB')).rejects.toMatchObject(conflict);
  });

  test('is granted no number, and no mark of a grant is left', async () => {
    const caller = aCaller();
    const web = await adopting(caller, 'WEB');
    await expect(askForNumbers(world, caller, { workstream_id: web.id })).rejects.toMatchObject(conflict);
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: 0, adopting: true });
  });

  test('is granted none by the previous release, whose clients are asked to retry', async () => {
    const caller = aCaller();
    const web = await adopting(caller, 'WEB');
    const grant = instance.context.db.transaction((tx) =>
      sql`update workstreams set granted_through = 8 where id = ${web.id}`.execute(tx),
    );
    await expect(grant).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('an adoption', () => {
  test('has the marks raised before it, of former prefixes too, and gets what the ledger has', async () => {
    const caller = aCaller();
    const [web, old] = [await adopting(caller, 'WEB'), await adopting(caller, 'OLD')];
    await aWorkstream(world, caller, 'PAY');
    const one = issued(caller, old, 5);
    await world.bus.call(recordIdentifiers, { issued: [one] });
    const { workstreams, recorded } = await prepare(caller, web, [7, 3], ['OLD-5', 'PAY-1', 'NONE-1']);
    expect(workstreams.map(({ prefix }) => prefix)).toEqual(['WEB', 'OLD']);
    expect(recorded).toEqual([{ identifier: 'OLD-5', card_id: one.card_id }]);
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: 7, adopting: true });
    expect(await markOf(caller, 'OLD')).toMatchObject({ through: 5, adopting: true });
    await prepare(caller, web, [1]);
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: 7 });
  });

  test('is refused in a workstream that never adopted or is open, and in an epoch that is over', async () => {
    const caller = aCaller();
    const pay = await aWorkstream(world, caller, 'PAY');
    await expect(prepare(caller, pay, [1])).rejects.toMatchObject(conflict);
    const web = await adopting(caller, 'WEB');
    await prepare(caller, web, [1], [], 2);
    expect(await prepare(caller, web, [2])).toEqual({ epoch: 2, workstreams: [], recorded: [] });
    await open(caller, web);
    await expect(prepare(caller, web, [2], [], 2)).rejects.toMatchObject(conflict);
  });
});

describe('an opening', () => {
  test('calls the card service first, and has numbers continue behind its answer', async () => {
    const caller = aCaller();
    const web = await adopting(caller, 'WEB');
    world.card.adopted = 12;
    const command = aCommand();
    const { resource } = await open(caller, web, {}, command);
    expect(resource).toMatchObject({ version: 2, adopting: false });
    expect(await open(caller, web, {}, command)).toEqual({ resource, replayed: true });
    expect(world.card.opened.filter(({ workstream }) => workstream.id === web.id)).toMatchObject([
      { above: 0, next_number: null },
    ]);
    const granted = await askForNumbers(world, caller, { workstream_id: web.id, last_number: 12 });
    expect(granted).toMatchObject({ granted_before: 12, granted_through: 20 });
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: 20, adopting: false });
    await expect(open(caller, web, {}, aCommand(), [2])).rejects.toMatchObject(conflict);
    await expect(open(caller, web, {}, aCommand(), [1])).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  test('with a number that is not behind what was adopted is refused, and has no effect', async () => {
    const caller = aCaller();
    const web = await adopting(caller, 'WEB');
    world.card.adopted = 12;
    const command = aCommand();
    for (let time = 0; time < 2; time += 1) {
      await expect(open(caller, web, { next_number: 12 }, command)).rejects.toMatchObject({
        code: 'validation_error',
        details: [{ path: ['next_number'], message: expect.stringContaining('13') }],
      });
    }
    const read = () => world.bus.call(getWorkstream, { ...caller, workstream_id: web.id });
    expect(await read()).toEqual(web);
    await prepare(caller, web, [13]);
    expect(await open(caller, web, { next_number: 100 }, command)).toMatchObject({ replayed: false });
    // The doctor compares the row with the mark before any number is granted.
    expect((await markOf(caller, 'WEB')).through).toBe(99);
    const granted = await askForNumbers(world, caller, { workstream_id: web.id, last_number: 99 });
    expect(granted).toMatchObject({ granted_before: 99, granted_through: 107 });
  });

  test('skips numbers that may have been adopted before a rollback', async () => {
    const caller = aCaller();
    const web = await adopting(caller, 'WEB');
    await prepare(caller, web, [40]);
    const mark = await markOf(caller, 'WEB');
    // The card service met its database in a later epoch, and sends that.
    await prepare(caller, web, [3], [], 2);
    expect(await markOf(caller, 'WEB')).toEqual({ ...mark, epoch: 2, epoch_base: 40 });
    await open(caller, web);
    expect(world.card.opened.at(-1)).toMatchObject({ above: 40 });
  });

  test('skips numbers that the ledger has', async () => {
    const caller = aCaller();
    const web = await adopting(caller, 'WEB');
    await world.bus.call(recordIdentifiers, { issued: [issued(caller, web, 77)] });
    await open(caller, web);
    expect(world.card.opened.at(-1)).toMatchObject({ above: 77 });
  });

  describe('that was interrupted is finished', () => {
    const interrupted = async () => {
      const caller = aCaller();
      const web = await adopting(caller, 'WEB');
      const command = aCommand();
      world.card.beforeClose = fail;
      await expect(open(caller, web, {}, command)).rejects.toMatchObject({ code: 'unavailable' });
      world.card.beforeClose = async () => {};
      return { caller, web, command };
    };
    const opened = { version: 2, adopting: false };

    test.each<[string, (of: Awaited<ReturnType<typeof interrupted>>) => Promise<unknown>]>([
      ['its repetition', ({ caller, web, command }) => open(caller, web, {}, command)],
      ['a grant', ({ caller, web }) => askForNumbers(world, caller, { workstream_id: web.id })],
      ['an adoption', ({ caller, web }) => expect(prepare(caller, web, [1])).rejects.toMatchObject(conflict)],
      [
        'another opening',
        ({ caller, web }) => expect(open(caller, web)).rejects.toMatchObject({ code: 'precondition_failed' }),
      ],
      [
        'the sweeper',
        () => finishEndings({ ...instance.context, logger: createLogger({ service: 'identifier', level: 'silent' }) }),
      ],
    ])('by %s', async (_, finish) => {
      const of = await interrupted();
      await finish(of);
      const { resource } = await open(of.caller, of.web, {}, of.command);
      expect(resource).toMatchObject(opened);
    });
  });
});

describe('a workstream that was lost in a rollback', () => {
  const forget = (caller: Caller) =>
    instance.context.db.transaction((tx) =>
      sql`delete from workstreams where workspace_id = ${caller.workspace_id} and not is_default`.execute(tx),
    );

  test('is created again as it was', async () => {
    const caller = aCaller();
    const web = await adopting(caller, 'WEB');
    await prepare(caller, web, [7]);
    const pay = await aWorkstream(world, caller, 'PAY');
    await askForNumbers(world, caller, { workstream_id: pay.id });
    await forget(caller);
    await expect(aWorkstream(world, caller, 'WEB')).rejects.toMatchObject(conflict);
    await expect(adopting(caller, 'PAY')).rejects.toMatchObject(conflict);
    expect(await adopting(caller, 'WEB')).toMatchObject({ id: web.id, adopting: true });
    expect(await aWorkstream(world, caller, 'PAY')).toMatchObject({ id: pay.id, adopting: false });
  });

  test('adopts nothing more where numbers were issued since, and is open again with the first grant', async () => {
    const caller = aCaller();
    const web = await adopting(caller, 'WEB');
    await prepare(caller, web, [7]);
    world.card.adopted = 7;
    await open(caller, web);
    await askForNumbers(world, caller, { workstream_id: web.id, last_number: 7 });
    await instance.context.db.transaction((tx) =>
      sql`update workstreams set adopting = true, granted_through = 0, version = 1 where id = ${web.id}`.execute(tx),
    );
    await expect(prepare(caller, web, [9])).rejects.toMatchObject(conflict);
    const granted = await askForNumbers(world, caller, { workstream_id: web.id, last_number: 7 });
    expect(granted).toMatchObject({ granted_through: 15, workstream: { id: web.id, version: 2 } });
  });
});

test('a history shows what was adopted, and when, where that is known', async () => {
  const caller = aCaller();
  const [web, old, pay] = [
    await adopting(caller, 'WEB'),
    await adopting(caller, 'OLD'),
    await aWorkstream(world, caller, 'PAY'),
  ];
  const card_id = v7();
  const later = '2026-02-01T00:00:00.000Z';
  const all = [
    issued(caller, old, 5, card_id),
    { ...issued(caller, web, 7, card_id), card_version: 2 },
    { ...issued(caller, pay, 1, card_id), card_version: 3, assigned_at: later },
  ];
  await world.bus.call(recordIdentifiers, { issued: all });
  world.card.adopted = 7;
  await open(caller, web);
  await world.bus.call(recordIdentifiers, {
    issued: [{ ...issued(caller, web, 8, card_id), card_version: 4, assigned_at: later }],
  });
  world.card.identifiers.set(`${caller.workspace_id}/${card_id}`, { current_identifier: 'WEB-8', unrecorded: [] });
  const { items } = await world.bus.call(listIdentifiers, { ...caller, card_id, page: { limit: 10 } });
  expect(
    items.map(({ identifier, adopted, assigned_at, superseded_at }) => [
      identifier,
      adopted,
      assigned_at,
      superseded_at,
    ]),
  ).toEqual([
    ['OLD-5', true, null, null],
    ['WEB-7', true, all[1]?.assigned_at, later],
    ['PAY-1', false, later, later],
    ['WEB-8', false, later, null],
  ]);
});
