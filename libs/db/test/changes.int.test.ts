import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { appendChanges, type Change, changeOf, createFeed, type Database, migrate } from '../src/index.ts';
import { gate, open, select, type Tables, untilWaiting } from './fixtures.ts';

const migrations = { '0001_feed': async () => ({ up: createFeed }) };

const feedDatabase = async () => {
  const { url } = await testDatabase();
  await migrate({ url, migrations });
  return open(url);
};

const change = (): Change =>
  changeOf({
    type: 'workstream.created',
    by: { user_id: v7() },
    at: new Date(),
    subject: { type: 'workstream', id: v7() },
    data: { name: 'It’s "quoted" \\ and {braced}, too\n' },
  }) as Change;
const some = (count: number) => Array.from({ length: count }, change);

type Row = Change & { seq: number; previous_id: string | null; noted: number };
const changesOf = (db: Database<Tables>, workspaceId: string) =>
  select<Row>(
    db,
    `select *, event::text as event, (extract(epoch from noted_at) * 1000000)::bigint as noted
     from changes where workspace_id = '${workspaceId}' order by seq`,
  );
const feedOf = (db: Database<Tables>, workspaceId: string) =>
  select(db, `select last, last_id, before_id from feeds where workspace_id = '${workspaceId}'`);

const append = (db: Database<Tables>, workspaceId: string, changes: (Change | undefined)[]) =>
  db.transaction((tx) => appendChanges(tx, workspaceId, changes));

/** Expects numbers from 1 without a gap, each change linked to the one before it, the first to none. */
const expectChain = (rows: Row[]) => {
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
  expect(rows.map(({ previous_id }) => previous_id)).toEqual([null, ...rows.slice(0, -1).map(({ id }) => id)]);
};

test('changes are numbered in order, each linked to the one before it, with their exact text', async () => {
  const db = await feedDatabase();
  const [workspace, other] = [v7(), v7()];
  const [first, second] = [some(3), some(2)];
  await append(db, workspace, first);
  await append(db, other, some(1));
  await append(db, workspace, [undefined, ...second]);
  await append(db, workspace, [undefined]);
  const rows = await changesOf(db, workspace);
  expectChain(rows);
  expectChain(await changesOf(db, other));
  expect(rows.map(({ event }) => event)).toEqual([...first, ...second].map(({ event }) => event));
  const noted = rows.map((row) => row.noted);
  expect(new Set(noted.slice(0, 3)).size).toBe(1);
  expect(noted[3]).toBeGreaterThan(noted[2] as number);
  expect(await feedOf(db, workspace)).toEqual([{ last: 5, last_id: second[1]?.id, before_id: first[2]?.id }]);
});

test('a transaction that is rolled back uses no number', async () => {
  const db = await feedDatabase();
  const workspace = v7();
  await append(db, workspace, some(1));
  const failed = db.transaction(async (tx) => {
    await appendChanges(tx, workspace, some(2));
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await append(db, workspace, some(1));
  const rows = await changesOf(db, workspace);
  expect(rows).toHaveLength(2);
  expectChain(rows);
});

test('concurrent writers, the first ones too, are numbered in the order of their commits', async () => {
  const db = await feedDatabase();
  const workspace = v7();
  for (const round of [1, 2]) {
    const hold = gate();
    const appended = gate();
    const [early, late] = [change(), change()];
    const slow = db.transaction(async (tx) => {
      await appendChanges(tx, workspace, [early]);
      appended.resolve();
      await hold.promise;
    });
    await appended.promise;
    const waiting = append(db, workspace, [late]);
    await untilWaiting(db);
    const before = await select<{ now: Date }>(db, 'select clock_timestamp() as now');
    hold.resolve();
    await Promise.all([slow, waiting]);
    const rows = await changesOf(db, workspace);
    expect(
      rows.slice(-2).map(({ id }) => id),
      `in round ${round}`,
    ).toEqual([early.id, late.id]);
    expectChain(rows);
    // The time of its number, not of when it began to wait.
    const [{ noted = 0 } = {}] = rows.slice(-1);
    expect(noted / 1_000).toBeGreaterThanOrEqual(before[0]?.now.getTime() ?? Number.NaN);
  }
});

test('many concurrent writers leave neither a gap nor a fork, and their times rise', async () => {
  const db = await feedDatabase();
  const workspaces = [v7(), v7(), v7()];
  const writes = Array.from({ length: 120 }, (_, at) => append(db, workspaces[at % 3] as string, some((at % 4) + 1)));
  await Promise.all(writes);
  for (const workspace of workspaces) {
    const rows = await changesOf(db, workspace);
    expect(rows).toHaveLength(100);
    expectChain(rows);
    const moments = rows.map(({ noted }) => noted);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(new Set(moments).size).toBe(40);
  }
});

test('a clock that was set back does not set times back', async () => {
  const db = await feedDatabase();
  const workspace = v7();
  await append(db, workspace, some(1));
  await db.transaction((tx) => sql`update feeds set noted_at = now() + interval '1 hour'`.execute(tx));
  const [{ noted_at } = { noted_at: new Date(0) }] = await select<{ noted_at: Date }>(db, 'select noted_at from feeds');
  await append(db, workspace, some(1));
  const [, after] = await changesOf(db, workspace);
  expect(after?.noted).toBeGreaterThan(noted_at.getTime() * 1_000);
});
