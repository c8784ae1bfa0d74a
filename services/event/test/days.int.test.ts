import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { append, findLogs, lockLogs, type NewEvent } from '../src/log/append.ts';
import { createDays, dropDays } from '../src/log/days.ts';
import { readEvents, readRaw } from '../src/log/read.ts';
import { startHarness } from './support/harness.ts';

const harness = await startHarness({ instances: 0 });

const dayMs = 86_400_000;
const now = new Date();
const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
const dateOf = (day: Date) => day.toISOString().slice(0, 10);

const newEvent = (): NewEvent => {
  const id = v7();
  const places = { card_id: null, board_id: null, other_board_id: null, source: 'card', source_seq: 1 } as const;
  return { id, type: 'card.updated', ...places, event: `{"id":"${id}","type":"card.updated"}` };
};

/** Appends to a workspace's log, and has it that this was so many days ago. */
const appendAgo = (workspaceId: string, count: number, days: number) =>
  harness.db.transaction(async (tx) => {
    const log = (await lockLogs(tx, [workspaceId])).get(workspaceId);
    if (!log) throw new Error('locked and not there');
    await append(tx, [{ log: { ...log, last: log.last + count }, events: Array.from({ length: count }, newEvent) }]);
    const then = dateOf(daysAgo(days));
    const of = sql`where workspace_id = ${workspaceId} and logged_on = (now() at time zone 'utc')::date`;
    await sql`update events set logged_on = ${then}::date ${of}`.execute(tx);
    await sql`update days set logged_on = ${then}::date ${of}`.execute(tx);
    await sql`update logs set logged_on = ${then}::date ${of}`.execute(tx);
  });

const partitions = async () => {
  const { rows } = await harness.db.read((tx) =>
    sql<{ name: string }>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'events'::regclass order by relname`.execute(tx),
  );
  return rows.map(({ name }) => name);
};

test('partitions of days are created ahead, once, by any instance', async () => {
  const instances = Array.from({ length: 4 }, () => createDays(harness.db));
  await Promise.all(instances.map((days) => days.ahead(now)));
  const names = [-1, 0, 1, 2].map((days) => `events_${dateOf(daysAgo(-days)).replaceAll('-', '_')}`);
  expect(await partitions()).toEqual(names);
  await createDays(harness.db).ahead(daysAgo(-1));
  expect(await partitions()).toHaveLength(5);
});

test('an append and a read go on while a day is made', async () => {
  const workspace = v7();
  await appendAgo(workspace, 2, 0);
  const made = await harness.db.transaction(async (tx) => {
    await sql`lock table events in share update exclusive mode`.execute(tx);
    await appendAgo(workspace, 1, 0);
    return harness.db.read((reader) => readRaw(reader, { workspaceId: workspace, after: 0, limit: 10 }));
  });
  expect(made.events).toHaveLength(3);
});

test('a page looks at no more days than it needs, however many there are', async () => {
  const workspace = v7();
  for (let day = 30; day > 0; day -= 1) await createDays(harness.db).ahead(daysAgo(day));
  for (let day = 30; day >= 0; day -= 1) await appendAgo(workspace, 20, day);
  const { events, last } = await harness.db.read((tx) =>
    readRaw(tx, { workspaceId: workspace, after: 295, limit: 10 }),
  );
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, at) => 296 + at));
  expect(last).toBe(620);

  const plan = await harness.db.transaction(async (tx) => {
    const [from, to] = [dateOf(daysAgo(16)), dateOf(daysAgo(15))];
    const types = 'uuid, bigint, bigint, bigint, text[], uuid[], uuid[], date, date';
    await sql.raw(`prepare page (${types}) as ${readEvents.asc.text}`).execute(tx);
    const page = `execute page ('${workspace}', 295, 305, 10, null, null, '{}', '${from}', '${to}')`;
    const { rows } = await sql.raw<{ 'QUERY PLAN': string }>(`explain ${page}`).execute(tx);
    return rows.map((row) => row['QUERY PLAN']);
  });
  const scanned = new Set(plan.flatMap((line) => /events_\d{4}_\d\d_\d\d\b/.exec(line)?.[0] ?? []));
  expect(scanned.size).toBe(2);
});

test('older days are dropped as partitions; a log without a day left continues its numbers', async () => {
  const [old, young] = [v7(), v7()];
  await appendAgo(old, 3, 9);
  await appendAgo(young, 2, 9);
  await appendAgo(young, 2, 3);
  expect(await dropDays(harness.db, daysAgo(5))).toBe(26);
  const read = (workspaceId: string) =>
    harness.db.read((tx) => readRaw(tx, { workspaceId, after: undefined, limit: 10 }));
  expect(await read(old)).toEqual({ events: [], through: 3, last: 3, oldest: 4 });
  expect(await read(young)).toMatchObject({ events: [{ seq: 3 }, { seq: 4 }], last: 4, oldest: 3 });
  await appendAgo(old, 1, 0);
  expect((await read(old)).events.map(({ seq }) => seq)).toEqual([4]);
  expect((await harness.db.read((tx) => findLogs(tx, [old]))).get(old)?.last).toBe(4);
});
