import { serveMetrics } from '@cardinal/runtime';
import { scrape } from '@cardinal/testkit';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { countUpTo, sqlGauges } from '../src/index.ts';
import { eventually, gate, migratedDatabase, open, recordingLogger, select } from './fixtures.ts';

const metrics = await serveMetrics({ port: 0, host: '127.0.0.1', logger: recordingLogger().logger });
afterAll(() => metrics.close());

const scraped = () => scrape(`http://127.0.0.1:${metrics.port}/metrics`);

it('a count uses an index, and reads no more than 10,000 rows', async () => {
  const { db } = await migratedDatabase();
  const insert = (count: number, endedAt: string) =>
    select(
      db,
      `insert into commands (workspace_id, id, fingerprint, created_at, ended_at)
       select gen_random_uuid(), gen_random_uuid(), 'f', now(), ${endedAt} from generate_series(1, ${count})`,
    );
  await select(db, 'create index commands_open on commands (created_at) where ended_at is null');
  await insert(48_000, 'now()');
  await select(db, 'vacuum analyze commands');
  // Postgres has no statistics on so many open rows yet.
  await insert(12_000, 'null');
  const open = countUpTo(sql`select 1 from commands where ended_at is null order by created_at`);
  sqlGauges(db, { test_open: { help: 'Open', value: open } });
  expect((await scraped()).value('test_open')).toBe(10_000);
  const { rows } = await db.read((tx) => sql<{ 'QUERY PLAN': string }>`explain select ${open}`.execute(tx));
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('commands_open');
  expect(plan).not.toMatch(/Seq Scan|Bitmap/);
});

it('gauges of a database that does not answer are absent, and it is not queried again meanwhile', async () => {
  const { db } = await migratedDatabase();
  const asked: Promise<unknown>[] = [];
  const answer = gate();
  const read: typeof db.read = (fn) => {
    const reading = answer.promise.then(() => db.read(fn));
    asked.push(reading);
    return reading;
  };
  sqlGauges({ read }, { test_rows: { help: 'Rows', value: countUpTo(sql`select 1 from commands`) } });
  const texts = await Promise.all([scraped(), scraped()]);
  expect(texts.map(({ value }) => value('test_rows'))).toEqual([undefined, undefined]);
  expect(asked).toHaveLength(1);
  answer.resolve();
  await asked[0];
  await eventually(async () => (await scraped()).value('test_rows')).toBe(0);
});

it('the pool shows its connections, and how many requests wait for one', async () => {
  const { url } = await migratedDatabase();
  const db = open(url, { poolSize: 2 });
  const held = gate();
  const holding = [1, 2, 3].map(() => db.transaction(() => held.promise));
  await eventually(async () => (await scraped()).value('cardinal_database_waiting')).toBe(1);
  const connections = async (state: string) => (await scraped()).value('cardinal_database_connections', { state });
  expect(await connections('used')).toBe(2);
  expect(await connections('max')).toBe(2);
  held.resolve();
  await Promise.all(holding);
  expect(await connections('used')).toBe(0);
  expect(await connections('idle')).toBe(2);
});
