import {
  archiveWorkstream,
  type Caller,
  lineageKey,
  lineage as lineageSchema,
  markKey,
  mark as markSchema,
  openWorkstream,
  prepareAdoption,
} from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { breakConnections } from '@cardinal/testkit/instance';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { askForNumbers, aWorkstream, startWorld } from './support/world.ts';

const world = await startWorld();
const [instance, other] = [await world.start(), await world.start()];
beforeEach(() => tick());

/** A second in which something was granted. */
const tick = async () => {
  instance.context.lineage.noteWrite();
  // On a busy machine a connection may break, after which the database is met again.
  await eventually(() => instance.context.lineage.sweep());
};
const register = () => instance.context.bus.register;
const markOf = async ({ workspace_id }: Caller, prefix: string) => {
  const { value } = await register().read(markKey(workspace_id, prefix));
  return value === undefined ? undefined : markSchema.parse(value);
};

/** Sets the database back to before the workstream was created or, with a number, to before the grant. */
const setBack = async ({ workspace_id }: Caller, prefix: string, granted_through?: number) => {
  const { db } = instance.context;
  const rows = sql`workspace_id = ${workspace_id} and prefix = ${prefix}`;
  await db.transaction(async (tx) => {
    if (granted_through === undefined) await sql`delete from workstreams where ${rows}`.execute(tx);
    else await sql`update workstreams set granted_through = ${granted_through} where ${rows}`.execute(tx);
    await sql`update lineage set tick = tick - 1`.execute(tx);
  });
  await breakConnections(db);
  // The first user of a connection detects the change.
  for (const { context } of [instance, other]) await context.db.check();
  return instance.context.lineage.refresh();
};

describe('a mark', () => {
  test('is in the register before its workstream, and never below what was granted', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    expect(await markOf(caller, 'WEB')).toEqual({
      through: 0,
      epoch: 1,
      epoch_base: 0,
      workstream_id: web.id,
      adopting: false,
    });
    const ask = (last_number: number) => askForNumbers(world, caller, { workstream_id: web.id, last_number });
    for (const last of [0, 8, 20, 50]) {
      const { granted_through } = await ask(last);
      expect(await markOf(caller, 'WEB')).toMatchObject({ through: granted_through, workstream_id: web.id });
    }
  });

  test('shows from the first grant on that nothing is adopted, also where an adoption left room for it', async () => {
    const caller = aCaller();
    const old = await aWorkstream(world, caller, 'OLD', { adopting: true });
    const { epoch } = await instance.context.lineage.met();
    const prepared = { ...caller, workstream_id: old.id, epoch, numbers: [50], former: [] };
    await world.bus.call(prepareAdoption, prepared);
    expect(await markOf(caller, 'OLD')).toMatchObject({ through: 50, adopting: true });
    const opening = { ...caller, workstream_id: old.id, command: aCommand(), if_match: [1], body: {} };
    await world.bus.call(openWorkstream, opening);
    const granted = await askForNumbers(world, caller, { workstream_id: old.id, last_number: 3 });
    expect(granted.granted_through).toBe(50);
    expect(await markOf(caller, 'OLD')).toMatchObject({ through: 50, adopting: false });
  });

  test('that cannot be written grants nothing', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const written = register().write;
    const refused: string[] = [];
    for (const { context } of [instance, other]) {
      context.bus.register.write = async (key) => {
        refused.push(key);
        throw new Error('The test says so');
      };
    }
    const asked = askForNumbers(world, caller, { workstream_id: web.id });
    await expect(asked).rejects.toMatchObject({ code: 'internal' });
    for (const { context } of [instance, other]) context.bus.register.write = written;
    expect(refused).toEqual([markKey(caller.workspace_id, 'WEB')]);
    const { granted_through } = await instance.context.db.read((tx) =>
      tx.selectFrom('workstreams').selectAll().where('id', '=', web.id).executeTakeFirstOrThrow(),
    );
    expect(granted_through).toBe(0);
  });

  test('is raised by concurrent grants, and never below the last one', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const requests = Array.from({ length: 30 }, (_, at) => ({ workstream_id: web.id, last_number: at * 3 }));
    const grants = await Promise.all(requests.map((request) => askForNumbers(world, caller, request)));
    const through = Math.max(...grants.map(({ granted_through }) => granted_through));
    expect((await markOf(caller, 'WEB'))?.through).toBeGreaterThanOrEqual(through);
  });

  test('and its range agree again where one of them was lost or set back', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const set = (granted_through: number) =>
      instance.context.db.transaction((tx) =>
        sql`update workstreams set granted_through = ${granted_through} where id = ${web.id}`.execute(tx),
      );
    await set(40);
    await other.context.marks.reconcile();
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: 40, workstream_id: web.id });
    await set(8);
    await other.context.marks.reconcile();
    const { rows } = await instance.context.db.read((tx) =>
      sql`select granted_through from workstreams where id = ${web.id}`.execute(tx),
    );
    expect(rows).toEqual([{ granted_through: 40 }]);
  });
});

describe('after the database was set back', () => {
  test('and the register lost right then, a process that granted writes what it remembers', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    await askForNumbers(world, caller, { workstream_id: web.id });
    const key = markKey(caller.workspace_id, 'WEB');
    await register().write(key, undefined, (await register().read(key)).revision);
    expect(await markOf(caller, 'WEB')).toBeUndefined();
    await instance.context.db.transaction((tx) =>
      sql`update workstreams set granted_through = 0 where id = ${web.id}`.execute(tx),
    );
    for (const { context } of [instance, other, instance]) await context.marks.reconcile();
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: 8, workstream_id: web.id });
  });

  test('the mark has what was granted: numbers continue where the card service is', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const ask = (last_number: number) => askForNumbers(world, caller, { workstream_id: web.id, last_number });
    await ask(0);
    await ask(8);
    const { epoch } = await setBack(caller, 'WEB', 0);
    expect(epoch).toBe(1);
    expect(await ask(10)).toMatchObject({ epoch, epoch_base: 0, granted_before: 40, granted_through: 40 });
    expect(await ask(40)).toMatchObject({ epoch, epoch_base: 0, granted_before: 40, granted_through: 168 });
  });

  test('and the card database with it, numbers begin above everything that was ever granted', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const ask = (epoch: number, last_number = 0) =>
      askForNumbers(world, caller, { workstream_id: web.id, last_number, epoch });
    await ask(1);
    await ask(1, 8);
    await setBack(caller, 'WEB', 0);
    // The card service met its database in a new epoch.
    expect(await ask(2)).toMatchObject({ epoch: 2, epoch_base: 40, granted_before: 40, granted_through: 168 });
    // A process that met it before is granted nothing more.
    expect(await ask(1, 8)).toMatchObject({ epoch: 2, granted_through: 168 });
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: 168, epoch: 2, epoch_base: 40 });
  });

  test('the answer for an archived workstream with a mark above its range has what was granted', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const ask = () => askForNumbers(world, caller, { workstream_id: web.id });
    await ask();
    await setBack(caller, 'WEB', 0);
    await world.bus.call(archiveWorkstream, { ...caller, workstream_id: web.id, command: aCommand(), if_match: [1] });
    expect(await ask()).toMatchObject({ granted_before: 8, granted_through: 8, workstream: { version: 2 } });
  });

  test('a mark that is of an earlier epoch than its range counts for that of the range', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const ask = () => askForNumbers(world, caller, { workstream_id: web.id, epoch: 2 });
    const first = await ask();
    const key = markKey(caller.workspace_id, 'WEB');
    const { value, revision } = await register().read(key);
    await register().write(key, { ...markSchema.parse(value), epoch: 1 }, revision);
    for (const { context } of [instance, other]) context.marks.forget({ ...web, ...caller });
    expect(await ask()).toMatchObject({ epoch_base: first.epoch_base, granted_through: first.granted_through });
  });

  test('a grant whose range was lost after its mark was raised begins where it did', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const ask = () => askForNumbers(world, caller, { workstream_id: web.id, epoch: 2 });
    const first = await ask();
    await setBack(caller, 'WEB', 0);
    expect(await ask()).toMatchObject({ epoch_base: first.epoch_base, granted_through: first.granted_through });
  });

  test('a lost workstream, created again with its prefix, is the same and continues above its mark', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    await askForNumbers(world, caller, { workstream_id: web.id });
    await setBack(caller, 'WEB');
    const again = await aWorkstream(world, caller, 'WEB');
    expect(again).toMatchObject({ id: web.id, version: 1 });
    const granted = await askForNumbers(world, caller, { workstream_id: web.id, epoch: 2 });
    expect(granted).toMatchObject({ epoch_base: 8, epoch: 2 });
  });

  test('a range is closed in the current epoch', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const { value, revision } = await register().read(lineageKey);
    const { epoch, ...rest } = lineageSchema.parse(value);
    await register().write(lineageKey, { ...rest, epoch: epoch + 1 }, revision);
    const request = { ...caller, workstream_id: web.id, command: aCommand(), if_match: [1] };
    await world.bus.call(archiveWorkstream, request);
    expect(world.card.closedIn.get(web.id)).toBe(epoch + 1);
  });
});
