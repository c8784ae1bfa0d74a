import { connectBus, declareStreams } from '@cardinal/bus';
import { type Lineage, lineageKey, lineage as lineageSchema, type NumberedDatabase } from '@cardinal/contracts';
import { createLineageTable, openDatabase } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { atEndOfFile, testBus, testDatabase, testNats } from '@cardinal/testkit';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { createLineage } from '../src/lineage.ts';

const nats = await testNats();
await declareStreams({ url: nats.url });
const logger = createLogger({ service: 'card', level: 'silent' });
const bus = await testBus(nats.url, 'card');

const readRegister = async (): Promise<Lineage | undefined> => {
  const { value } = await bus.register.read(lineageKey);
  return value === undefined ? undefined : lineageSchema.parse(value);
};
const wipe = async () => {
  const { revision } = await bus.register.read(lineageKey);
  if (revision > 0) await bus.register.write(lineageKey, { epoch: 1, witnesses: {}, falls: [] }, revision);
};

/** A database with the tables that a lineage looks at. */
const aDatabase = async () => {
  const { urls } = await testDatabase();
  const db = openDatabase<Record<never, never>>({ url: urls.card, name: 'card' });
  atEndOfFile(() => db.close());
  await db.transaction(async (tx) => {
    await createLineageTable(tx);
    await sql`create table workstreams (id integer)`.execute(tx);
  });
  return {
    db,
    url: urls.card,
    run: (statement: string) => db.transaction((tx) => sql.raw(statement).execute(tx)),
    /** As a server does that restarts: the next connection may lead to another one. */
    breakConnections: () =>
      db
        .read((tx) =>
          sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
            order by pid = pg_backend_pid()`.execute(tx),
        )
        .catch(() => undefined),
  };
};
type TestDatabase = Awaited<ReturnType<typeof aDatabase>>;

/** A process of a service on a database. */
const aProcess = (
  { db }: Pick<TestDatabase, 'db'>,
  database: NumberedDatabase = 'card',
  reconcile = async () => {},
) => {
  const lineage = createLineage(database, { db, bus, logger, now: () => new Date() }, { reconcile });
  return {
    ...lineage,
    /** A second in which numbers were issued. */
    writtenSecond: async () => {
      lineage.noteWrite();
      await lineage.sweep();
    },
    epoch: async () => (await lineage.met()).epoch,
  };
};

type TestProcess = ReturnType<typeof aProcess>;

beforeEach(wipe);

test('a database that nobody knows is trusted, and known from then on', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  expect(await process.epoch()).toBe(1);
  await process.writtenSecond();
  expect(await readRegister()).toMatchObject({ epoch: 1, witnesses: { card: { tick: 1 } }, falls: [] });
});

test('a server that restarts with everything it had begins no epoch', async () => {
  const database = await aDatabase();
  const [one, two] = [aProcess(database), aProcess(database)];
  for (let second = 0; second < 3; second += 1) await Promise.all([one.writtenSecond(), two.writtenSecond()]);
  await database.breakConnections();
  await database.db.check();
  await one.writtenSecond();
  expect([await one.epoch(), await two.epoch(), await aProcess(database).epoch()]).toEqual([1, 1, 1]);
});

test('an earlier state begins an epoch, once for all processes, and the register lists the fall', async () => {
  const database = await aDatabase();
  const [one, two] = [aProcess(database), aProcess(database)];
  for (let second = 0; second < 3; second += 1) await one.writtenSecond();
  await two.met();
  await database.run('update lineage set tick = 1');
  await database.breakConnections();
  await database.db.check();
  expect([one.current(), two.current()]).toEqual([undefined, undefined]);
  expect(await Promise.all([one.epoch(), two.epoch(), aProcess(database).epoch()])).toEqual([2, 2, 2]);
  expect(await readRegister()).toMatchObject({
    epoch: 2,
    witnesses: { card: { tick: 1 } },
    falls: [{ database: 'card', epoch: 2, from: { tick: 3 }, to: { tick: 1 } }],
  });
  const { rows } = await database.db.read((tx) => sql`select epoch from lineage`.execute(tx));
  expect(rows).toEqual([{ epoch: 2 }]);
});

test('another database begins an epoch, however far its ticks are', async () => {
  const [before, after] = [await aDatabase(), await aDatabase()];
  await aProcess(before).writtenSecond();
  await after.run('update lineage set tick = 100');
  expect(await aProcess(after).epoch()).toBe(2);
});

test('tables that were made anew under living connections are another database', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  await process.writtenSecond();
  const { table } = await process.met();
  await database.run('drop table workstreams; create table workstreams (id integer)');
  expect(await process.met()).toMatchObject({ epoch: 1, table });
  // What a statement finds whose rows are of another table.
  process.forget();
  const met = await process.met();
  expect(met.epoch).toBe(2);
  expect(met.table).not.toBe(table);
});

test('rows that were set back under living connections are noticed by the next tick', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  for (let second = 0; second < 3; second += 1) await process.writtenSecond();
  await database.run('update lineage set tick = 0');
  await process.writtenSecond();
  expect(await process.epoch()).toBe(2);
});

test.each([
  ['the only process', (one: TestProcess) => one],
  ['a process that raised none of the last ticks', (_: TestProcess, other: TestProcess) => other],
])('rows that were set back by one tick are noticed by %s before it raises it', async (_, noticing) => {
  const database = await aDatabase();
  const [one, other] = [aProcess(database), aProcess(database)];
  await other.writtenSecond();
  for (let second = 0; second < 3; second += 1) await one.writtenSecond();
  await database.run('update lineage set tick = tick - 1');
  await noticing(one, other).writtenSecond();
  expect(await noticing(one, other).epoch()).toBe(2);
  expect(await readRegister()).toMatchObject({ epoch: 2, witnesses: { card: { tick: 3 } } });
});

test('a register that was wiped is written again by who runs, in the epoch that it was', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  await process.writtenSecond();
  await database.run('update lineage set tick = 0');
  await database.breakConnections();
  expect(await process.epoch()).toBe(2);
  await wipe();
  for (let second = 0; second < 10; second += 1) await process.sweep();
  expect(await process.refresh()).toMatchObject({ epoch: 2 });
  expect(await readRegister()).toMatchObject({ epoch: 2, witnesses: { card: { tick: 1 } } });
});

test('a fall of the identifier database begins no epoch; it is noted once the marks were made to agree', async () => {
  const database = await aDatabase();
  const known: (Lineage | undefined)[] = [];
  const process = aProcess(database, 'identifier', async () => void known.push(await readRegister()));
  await process.writtenSecond();
  expect(known).toMatchObject([{ witnesses: {} }]);
  await database.run('update lineage set tick = 0');
  await database.breakConnections();
  expect(await process.epoch()).toBe(1);
  expect(known).toMatchObject([{ witnesses: {} }, { witnesses: { identifier: { tick: 1 } }, falls: [] }]);
  expect(await readRegister()).toMatchObject({ falls: [{ database: 'identifier', epoch: 1, to: { tick: 0 } }] });
});

test('a register that was wiped does not hide a fall from who runs', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  for (let second = 0; second < 3; second += 1) await process.writtenSecond();
  await wipe();
  await database.run('update lineage set tick = 1');
  await database.breakConnections();
  expect(await process.epoch()).toBe(2);
});

test('a register that is younger than the database goes on in its epoch', async () => {
  const database = await aDatabase();
  await database.run('update lineage set epoch = 7');
  expect(await aProcess(database).epoch()).toBe(7);
  expect(await readRegister()).toMatchObject({ epoch: 7 });
});

test('an epoch that another database began is taken over where somebody names it', async () => {
  const [card, identifier] = [await aDatabase(), await aDatabase()];
  const [one, other] = [aProcess(identifier, 'identifier'), aProcess(card)];
  await Promise.all([one.writtenSecond(), other.writtenSecond()]);
  await card.run('update lineage set tick = 0');
  await card.breakConnections();
  expect(await other.epoch()).toBe(2);
  expect(await one.epoch()).toBe(1);
  expect(await one.refresh()).toMatchObject({ epoch: 2 });
  expect((await readRegister())?.falls).toHaveLength(1);
});

test('a database is not met while the register is out of reach', async () => {
  const database = await aDatabase();
  const lost = await testNats();
  const alone = await connectBus({ url: lost.url, name: 'card', logger });
  atEndOfFile(() => alone.drain());
  const process = createLineage('card', { db: database.db, bus: alone, logger, now: () => new Date() });
  await expect(process.met()).rejects.toMatchObject({ code: 'unavailable' });
  expect(process.current()).toBeUndefined();
  await declareStreams({ url: lost.url });
  expect(await process.met()).toMatchObject({ epoch: 1 });
});
