import { serveMetrics } from '@cardinal/runtime';
import { scrape } from '@cardinal/testkit';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { appendEvents, countUpTo, deadLetter, deadLetterGauges, outboxGauges, sqlGauges } from '../src/index.ts';
import { event, eventually, gate, migratedDatabase, open, recordingLogger, select } from './fixtures.ts';

const metrics = await serveMetrics({ port: 0, host: '127.0.0.1', logger: recordingLogger().logger });
afterAll(() => metrics.close());

const scraped = () => scrape(`http://127.0.0.1:${metrics.port}/metrics`);

it('the outbox tells how many events wait and for how long, the inbox how many were given up', async () => {
  const { db } = await migratedDatabase();
  const [waiting, published] = [event(), event()];
  await db.transaction((tx) => appendEvents(tx, [waiting, published]));
  await select(db, `update outbox set published_at = now() where id = '${published.id}'`);
  await select(db, `update outbox set created_at = now() - interval '1 minute' where id = '${waiting.id}'`);
  await deadLetter(db, event(), new Error('no'));
  sqlGauges(db, { ...outboxGauges, ...deadLetterGauges });
  const { value } = await scraped();
  expect(value('cardinal_outbox_waiting_events')).toBe(1);
  expect(value('cardinal_outbox_oldest_event_seconds')).toBeGreaterThanOrEqual(60);
  expect(value('cardinal_outbox_oldest_event_seconds')).toBeLessThan(120);
  expect(value('cardinal_dead_letters')).toBe(1);
});

it('nothing waits: 0, and no gap', async () => {
  const { db } = await migratedDatabase();
  sqlGauges(db, { ...outboxGauges, ...deadLetterGauges });
  const { value } = await scraped();
  for (const name of Object.keys({ ...outboxGauges, ...deadLetterGauges })) expect(value(name)).toBe(0);
});

it('what is counted is found in an index, and no more than 10,000 rows of it', async () => {
  const { db } = await migratedDatabase();
  const insert = (count: number, publishedAt: string) =>
    select(
      db,
      `insert into outbox (id, workspace_id, subject, event, published_at)
       select gen_random_uuid(), gen_random_uuid(), 'evt', '{}', ${publishedAt} from generate_series(1, ${count})`,
    );
  await insert(48_000, 'now()');
  await select(db, 'vacuum analyze outbox');
  // The broker is away: Postgres does not know yet that so many wait.
  await insert(12_000, 'null');
  sqlGauges(db, outboxGauges);
  expect((await scraped()).value('cardinal_outbox_waiting_events')).toBe(10_000);
  for (const { value } of Object.values(outboxGauges)) {
    const { rows } = await db.read((tx) => sql<{ 'QUERY PLAN': string }>`explain select ${value}`.execute(tx));
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('outbox_unpublished');
    expect(plan).not.toMatch(/Seq Scan|Bitmap/);
  }
});

it('gauges of a database that does not answer are absent, and it is asked no second time meanwhile', async () => {
  const { db } = await migratedDatabase();
  const asked: Promise<unknown>[] = [];
  const answer = gate();
  const read: typeof db.read = (fn) => {
    const reading = answer.promise.then(() => db.read(fn));
    asked.push(reading);
    return reading;
  };
  sqlGauges({ read }, { test_rows: { help: 'Rows', value: countUpTo(sql`select 1 from outbox`) } });
  const texts = await Promise.all([scraped(), scraped()]);
  expect(texts.map(({ value }) => value('test_rows'))).toEqual([undefined, undefined]);
  expect(asked).toHaveLength(1);
  answer.resolve();
  await asked[0];
  await eventually(async () => (await scraped()).value('test_rows')).toBe(0);
});

it('the pool tells its connections, and who waits for one', async () => {
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
