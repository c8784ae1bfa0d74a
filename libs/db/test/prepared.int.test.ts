import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { prepared } from '../src/index.ts';
import { eventually, open, select } from './fixtures.ts';

const one = async () => {
  const { url } = await testDatabase();
  return { url, db: open(url) };
};

it('a connection knows a prepared statement by name, inside and outside of transactions', async () => {
  const { db } = await one();
  const add = prepared<{ sum: number }>('add', 'select $1::integer + $2::integer as sum');
  expect(await db.read((tx) => add.run(tx, [1, 2]))).toEqual([{ sum: 3 }]);
  const seen = await db.transaction(async (tx) => {
    expect(await add.run(tx, [3, 4])).toEqual([{ sum: 7 }]);
    return sql<{
      name: string;
    }>`select name from pg_prepared_statements where right(statement, ${add.text.length}) = ${add.text}`.execute(tx);
  });
  expect(seen.rows).toEqual([{ name: expect.stringMatching(/^add-[0-9a-f]{12}$/) }]);
});

it('the server generation rises when connections break or none is left, and at no other time', async () => {
  const { url, db } = await one();
  const other = open(url);
  await select(db, 'select 1');
  const before = db.serverGeneration();
  await Promise.all([1, 2, 3].map(() => select(db, 'select pg_sleep(0.05)')));
  expect(db.serverGeneration()).toBe(before);
  await select(
    other,
    `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await eventually(async () => {
    await select(db, 'select 1');
    expect(db.serverGeneration()).toBeGreaterThan(before);
  });
});

it('a statement that waits for its connection reads the generation of the server of that connection', async () => {
  const { url } = await testDatabase();
  const [db, other] = [open(url, { poolSize: 1 }), open(url)];
  const held = Promise.withResolvers<number>();
  const goOn = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    held.resolve(rows[0]?.pid ?? 0);
    await goOn.promise;
    await sql`select 1`.execute(tx);
  });
  const pid = await held.promise;
  const before = db.serverGeneration();
  const waiting = db.statement(async (tx) => {
    const generation = db.serverGeneration();
    await sql`select 1`.execute(tx);
    return generation;
  });
  await select(other, `select pg_terminate_backend(${pid})`);
  goOn.resolve();
  await expect(holding).rejects.toMatchObject({ code: 'unavailable' });
  expect(await waiting).toBeGreaterThan(before);
});
