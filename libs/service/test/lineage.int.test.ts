import { connectBus, declareRegisters } from '@cardinal/bus';
import { type Lineage, lineageKey, lineage as lineageSchema, type WitnessedDatabase } from '@cardinal/contracts';
import { addLineageTime, createLineageTable, openDatabase } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { runStatements } from '@cardinal/servers';
import { atEndOfFile, testBus, testDatabase, testNats } from '@cardinal/testkit';
import { breakConnections } from '@cardinal/testkit/instance';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createLineage } from '../src/lineage/lineage.ts';

const nats = await testNats();
await declareRegisters({ url: nats.url });
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

/** A database with the tables that a lineage reads. */
const aDatabase = async () => {
  const { urls } = await testDatabase();
  const db = openDatabase<Record<never, never>>({ url: urls.card, name: 'card' });
  atEndOfFile(() => db.close());
  await db.transaction(async (tx) => {
    await createLineageTable(tx);
    await addLineageTime(tx);
    await sql`create table workstreams (id integer)`.execute(tx);
  });
  return {
    db,
    url: urls.card,
    run: (statement: string) => db.transaction((tx) => sql.raw(statement).execute(tx)),
    /** As a server that restarts: the next connection may lead to another one. */
    breakConnections: () => breakConnections(db),
  };
};
type TestDatabase = Awaited<ReturnType<typeof aDatabase>>;

/** A process of a service on a database. */
const aProcess = (
  { db }: Pick<TestDatabase, 'db'>,
  database: WitnessedDatabase = 'card',
  { reconcile = async () => {}, hasIssued = true, isTrusted = false } = {},
) => {
  const margins: unknown[] = [];
  const advance = async (_: unknown, margin: unknown) => {
    margins.push(margin);
    return 1_000;
  };
  const options = { hasIssued: sql<boolean>`${hasIssued}::boolean`, advance, reconcile, isTrusted };
  const lineage = createLineage(database, { db, bus, logger, now: () => new Date() }, options);
  return {
    ...lineage,
    /** The margins with which counters were raised. */
    margins,
    /** A second in which numbers are issued. */
    writtenSecond: async () => {
      lineage.noteWrite();
      await lineage.sweep();
    },
    epoch: async () => (await lineage.met()).epoch,
  };
};

type TestProcess = ReturnType<typeof aProcess>;

beforeEach(wipe);

test('a new database is trusted, and has a witness from then on', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  expect(await process.epoch()).toBe(1);
  await process.writtenSecond();
  expect(await readRegister()).toMatchObject({ epoch: 1, witnesses: { card: { tick: 2 } }, falls: [] });
});

test('a server that restarts with everything it had begins no epoch', async () => {
  const database = await aDatabase();
  const [one, two] = [aProcess(database), aProcess(database)];
  await one.writtenSecond();
  for (let second = 0; second < 3; second += 1) await Promise.all([one.writtenSecond(), two.writtenSecond()]);
  await database.breakConnections();
  await database.db.check();
  await one.writtenSecond();
  expect([await one.epoch(), await two.epoch(), await aProcess(database).epoch()]).toEqual([1, 1, 1]);
});

test('an earlier state begins an epoch, once for all processes, and the register lists the rollback', async () => {
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
    // Each of three processes met it.
    witnesses: { card: { tick: 4 } },
    falls: [{ database: 'card', epoch: 2, from: { tick: 4 }, to: { tick: 1 } }],
  });
  const { rows } = await database.db.read((tx) => sql`select epoch from lineage`.execute(tx));
  expect(rows).toEqual([{ epoch: 2 }]);
});

test.each([
  ['a process that runs on', (one: TestProcess) => one],
  ['one that starts', (_: TestProcess, database: TestDatabase) => aProcess(database)],
])('a state that came back once may come back again right then, which begins another epoch: %s', async (_, next) => {
  const database = await aDatabase();
  const process = aProcess(database);
  for (let second = 0; second < 3; second += 1) await process.writtenSecond();
  const comesBack = async () => {
    await database.run('update lineage set tick = 1, epoch = 1');
    await database.breakConnections();
  };
  await comesBack();
  expect(await process.epoch()).toBe(2);
  await comesBack();
  expect(await next(process, database).epoch()).toBe(3);
  await comesBack();
  expect(await next(process, database).epoch()).toBe(4);
});

test('another database begins an epoch, however far its ticks are', async () => {
  const [before, after] = [await aDatabase(), await aDatabase()];
  await aProcess(before).writtenSecond();
  await after.run('update lineage set tick = 100');
  expect(await aProcess(after).epoch()).toBe(2);
});

test('tables that were recreated under open connections are another database', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  await process.writtenSecond();
  const { table } = await process.met();
  await database.run('drop table workstreams; create table workstreams (id integer)');
  expect(await process.met()).toMatchObject({ epoch: 1, table });
  // As a statement does that finds rows of another table.
  process.forget();
  const met = await process.met();
  expect(met.epoch).toBe(2);
  expect(met.table).not.toBe(table);
});

test('rows that were set back under open connections are detected by the next tick', async () => {
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
  expect(await readRegister()).toMatchObject({ epoch: 2, falls: [{ from: { tick: 4 }, to: { tick: 3 } }] });
});

test('a running process writes a wiped register again, in the same epoch', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  await process.writtenSecond();
  await database.run('update lineage set tick = 0');
  await database.breakConnections();
  expect(await process.epoch()).toBe(2);
  await wipe();
  for (let second = 0; second < 10; second += 1) await process.sweep();
  expect(await process.refresh()).toMatchObject({ epoch: 2 });
  expect(await readRegister()).toMatchObject({ epoch: 2, witnesses: { card: { tick: 2 } } });
});

test('a rollback of the identifier database begins no epoch, and is noted after the marks are reconciled', async () => {
  const database = await aDatabase();
  const known: (Lineage | undefined)[] = [];
  const process = aProcess(database, 'identifier', {
    reconcile: async () => void known.push(await readRegister()),
  });
  await process.writtenSecond();
  expect(known).toMatchObject([{ witnesses: {} }]);
  await database.run('update lineage set tick = 0');
  await database.breakConnections();
  expect(await process.epoch()).toBe(1);
  expect(known).toMatchObject([{ witnesses: {} }, { witnesses: { identifier: { tick: 1 } }, falls: [] }]);
  expect(await readRegister()).toMatchObject({ falls: [{ database: 'identifier', epoch: 1, to: { tick: 0 } }] });
});

test('a running process detects a rollback although the register was wiped', async () => {
  const database = await aDatabase();
  const process = aProcess(database);
  for (let second = 0; second < 3; second += 1) await process.writtenSecond();
  await wipe();
  await database.run('update lineage set tick = 1');
  await database.breakConnections();
  expect(await process.epoch()).toBe(2);
});

test('the epoch of a younger register continues that of the database', async () => {
  const database = await aDatabase();
  await database.run('update lineage set epoch = 7');
  expect(await aProcess(database).epoch()).toBe(7);
  expect(await readRegister()).toMatchObject({ epoch: 7 });
});

test('an epoch that another database began is adopted when a request names it', async () => {
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
  const options = { hasIssued: sql<boolean>`true` };
  const process = createLineage('card', { db: database.db, bus: alone, logger, now: () => new Date() }, options);
  await expect(process.met()).rejects.toMatchObject({ code: 'unavailable' });
  expect(process.current()).toBeUndefined();
  await declareRegisters({ url: lost.url });
  expect(await process.met()).toMatchObject({ epoch: 1 });
});

/** Sets the time of the last tick back, as if that long had passed. */
const idle = async (database: TestDatabase, interval: string) => {
  await database.run(`update lineage set ticked_at = clock_timestamp() - interval '${interval}'`);
  const { value, revision } = await bus.register.read(lineageKey);
  const known = lineageSchema.parse(value);
  if (!known.witnesses.card) return;
  const [row] = await runStatements(database.url, ['select ticked_at as at from lineage']);
  const card = { ...known.witnesses.card, at: (row as { at: Date }).at.toISOString() };
  await bus.register.write(lineageKey, { ...known, witnesses: { ...known.witnesses, card } }, revision);
};

describe('a register that has no witness of a database that issued numbers', () => {
  const aLostOne = async (interval = '1 day 1 hour') => {
    const database = await aDatabase();
    await aProcess(database).writtenSecond();
    await wipe();
    await idle(database, interval);
    return database;
  };

  test('begins an epoch above a margin per day begun, once for all processes that start', async () => {
    const database = await aLostOne();
    const started = [aProcess(database), aProcess(database), aProcess(database)];
    expect(await Promise.all(started.map((one) => one.epoch()))).toEqual([2, 2, 2]);
    expect(started.flatMap(({ margins }) => margins)).toEqual([{ days: 2, least: 1_000 }]);
    expect(await readRegister()).toMatchObject({
      epoch: 2,
      unknown_since: expect.any(String),
      acknowledged_at: null,
      // As release 1.0.0, which may run beside this one, reads it: without a null.
      falls: [
        { database: 'card', from: { identity: expect.any(String), tick: expect.any(Number) }, margin: 1_000, epoch: 2 },
      ],
    });
    for (const one of [...started, aProcess(database)])
      expect(await one.beginningOfNew()).toEqual({ number: 1_000, epoch: 2 });
    expect(await aProcess(database).epoch()).toBe(2);
  });

  test('is an identifier database like any other', async () => {
    const database = await aLostOne();
    expect(await aProcess(database, 'identifier').epoch()).toBe(2);
  });

  test('has no margin where the operator declares the databases the latest', async () => {
    const database = await aLostOne();
    const process = aProcess(database, 'card', { isTrusted: true });
    expect(await process.epoch()).toBe(1);
    await process.writtenSecond();
    expect(await aProcess(database).beginningOfNew()).toEqual({ number: 0, epoch: 1 });
    expect((await readRegister())?.falls).toEqual([]);
  });

  test('is not forgotten with the register: new workstreams still begin behind the margin', async () => {
    const database = await aLostOne();
    await aProcess(database).met();
    await wipe();
    expect(await aProcess(database, 'card', { isTrusted: true }).beginningOfNew()).toEqual({ number: 1_000, epoch: 2 });
  });

  test('has no margin where no number was issued, or no witness ever existed', async () => {
    expect(await aProcess(await aLostOne(), 'card', { hasIssued: false }).epoch()).toBe(1);
    await wipe();
    const former = await aDatabase();
    expect(await aProcess(former).epoch()).toBe(1);
  });

  test('may be written again by a running process: a start right after the loss waits for it', async () => {
    const database = await aDatabase();
    const running = aProcess(database);
    await running.writtenSecond();
    await wipe();
    await expect(aProcess(database).met()).rejects.toMatchObject({ code: 'unavailable' });
    await running.writtenSecond();
    expect(await aProcess(database).epoch()).toBe(1);
    expect((await readRegister())?.falls).toEqual([]);
  });

  test('keeps its list of rollbacks where a running process writes it again', async () => {
    const database = await aLostOne();
    const process = aProcess(database);
    await process.writtenSecond();
    const before = await readRegister();
    await wipe();
    const { revision } = await bus.register.read(lineageKey);
    await bus.register.write(lineageKey, undefined, revision);
    await process.writtenSecond();
    expect(await readRegister()).toEqual({ ...before, witnesses: { card: expect.objectContaining({ tick: 4 }) } });
  });

  test.each(['before', 'after'] as const)(
    'raises counters once, even where the process ends %s that is noted',
    async (when) => {
      const database = await aLostOne();
      const register = await bus.register.read(lineageKey);
      await aProcess(database).met();
      // The state after a kill in between.
      await database.run('update lineage set advanced = true, epoch = 1');
      if (when === 'before') {
        const { revision } = await bus.register.read(lineageKey);
        await bus.register.write(lineageKey, register.value, revision);
      }
      const next = aProcess(database);
      expect(await next.epoch()).toBe(2);
      expect(next.margins).toEqual([]);
      const { rows } = await database.db.read((tx) => sql`select epoch, advanced from lineage`.execute(tx));
      expect(rows).toEqual([{ epoch: 2, advanced: false }]);
      await next.writtenSecond();
      expect(await aProcess(database).epoch()).toBe(2);
    },
  );
});

describe('a start long after the last tick', () => {
  const aSnapshot = async (interval: string, before?: (process: TestProcess) => Promise<unknown>) => {
    const database = await aDatabase();
    const process = aProcess(database);
    await process.writtenSecond();
    await before?.(process);
    await idle(database, interval);
    return database;
  };

  test('counts as everything set back together, unless a process stopped in order', async () => {
    const killed = aProcess(await aSnapshot('2 hours'));
    expect(await killed.epoch()).toBe(2);
    expect(killed.margins).toEqual([{ days: 1, least: 1_000 }]);
  });

  test('counts as everything set back together even where the register is a tick younger than the database', async () => {
    const database = await aSnapshot('0 hours');
    await database.run('update lineage set tick = tick - 1');
    await idle(database, '2 hours');
    const process = aProcess(database);
    expect(await process.epoch()).toBe(2);
    expect(process.margins).toHaveLength(1);
  });

  test('is an ordinary rollback where the register knows of the last hour', async () => {
    const database = await aDatabase();
    await aProcess(database).writtenSecond();
    await database.run('update lineage set tick = 0');
    await database.run(`update lineage set ticked_at = clock_timestamp() - interval '1 day'`);
    const process = aProcess(database);
    expect(await process.epoch()).toBe(2);
    expect(process.margins).toEqual([]);
    expect((await readRegister())?.unknown_since).toBeNull();
  });

  test('has no margin after a short power cut, nor after a stop in order', async () => {
    expect(await aProcess(await aSnapshot('59 minutes')).epoch()).toBe(1);
    await wipe();
    const database = await aSnapshot('30 days', (process) => process.part.stop());
    expect((await readRegister())?.witnesses.card?.stopped).toBe(true);
    const started = aProcess(database);
    expect(await started.epoch()).toBe(1);
    // The next process has to note its own stop.
    expect((await readRegister())?.witnesses.card?.stopped).toBe(false);
    expect((await readRegister())?.unknown_since).toBeNull();
  });

  test('does not concern a running process', async () => {
    const database = await aDatabase();
    const process = aProcess(database);
    await process.writtenSecond();
    await idle(database, '2 hours');
    await database.breakConnections();
    expect(await process.epoch()).toBe(1);
  });

  test('does not follow a quiet hour: the tick rises each minute', async () => {
    const database = await aDatabase();
    const process = aProcess(database);
    await process.writtenSecond();
    await idle(database, '2 hours');
    for (let second = 0; second < 60; second += 1) await process.sweep();
    expect((await readRegister())?.witnesses.card?.tick).toBe(2);
    expect(await aProcess(database).epoch()).toBe(1);
  });
});

test('new workstreams begin further behind after each unknown state, and after each restore of one backup', async () => {
  const database = await aDatabase();
  const expectations = [
    { again: 0, number: 1_000, days: 1 },
    { again: 0, number: 2_000, days: 1 },
    { again: 2, number: 5_000, days: 3 },
  ];
  for (const { again, number, days } of expectations) {
    await aProcess(database).writtenSecond();
    await wipe();
    await database.run(`update lineage set advance_by = 0, restored_before = ${again}`);
    const process = aProcess(database);
    expect(await process.beginningOfNew()).toMatchObject({ number });
    expect(process.margins).toEqual([{ days, least: 1_000 }]);
  }
  // A rollback to before all that forgets none of it, as the register knows it.
  await database.run('update lineage set tick = 0');
  await database.run('update lineage set new_begins = 0, unknown_since = null');
  await aProcess(database).met();
  await wipe();
  expect(await aProcess(database, 'card', { isTrusted: true }).beginningOfNew()).toMatchObject({ number: 5_000 });
});

test.each(['that runs', 'that starts'])('an operator demand is met once, by a process %s', async (which) => {
  const database = await aDatabase();
  const one = aProcess(database);
  await one.writtenSecond();
  await database.run('update lineage set advance_by = 50000');
  const doing = which === 'that runs' ? one : aProcess(database);
  await doing.writtenSecond();
  expect(doing.margins).toEqual([{ days: 1, least: 50_000 }]);
  await one.writtenSecond();
  expect([await doing.epoch(), await aProcess(database).epoch()]).toEqual([2, 2]);
});
