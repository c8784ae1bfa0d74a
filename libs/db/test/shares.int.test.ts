import { newContext, runInContext } from '@cardinal/runtime';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { readPageRows } from '../src/index.ts';
import { eventually, gate, open, select } from './fixtures.ts';

const as = <T>(workspaceId: string, userId: string, work: () => T, timeoutMs = 60_000): T =>
  runInContext({ ...newContext({ timeoutMs }), caller: { workspaceId, userId } }, work);

describe('connections', () => {
  it('are shared by workspaces, whatever the order of requests', async () => {
    const { url } = await testDatabase();
    const db = open(url, { poolSize: 4 });
    const [busy, quiet] = [v7(), v7()];
    const hold = gate();
    const begun: string[] = [];
    const one = (workspace: string, user: string) =>
      as(workspace, user, () =>
        db.transaction(async (tx) => {
          begun.push(user);
          await sql`select 1`.execute(tx);
          await hold.promise;
        }),
      );
    const all = ['first', 'first', 'first', 'first', 'second'].map((user) => one(busy, user));
    await eventually(() => begun).toEqual(['first', 'first']);
    all.push(one(quiet, 'other'), one(quiet, 'other'));
    await eventually(() => begun).toEqual(['first', 'first', 'other', 'other']);
    hold.resolve();
    await Promise.all(all);
    expect(begun).toHaveLength(7);
  });
});

describe('a list after the deadline of its request', () => {
  it('is unavailable, and the server cancels its statement', async () => {
    const { url, adminUrl } = await testDatabase();
    const db = open(url, { poolSize: 1 });
    const observer = open(adminUrl);
    // Longer than any test.
    const endless = sql<{ id: string }>`(select pg_sleep(600)::text as id)`.as('endless');
    const page = as(
      v7(),
      v7(),
      () => db.read((tx) => readPageRows(tx, tx.selectFrom(endless).selectAll(), { limit: 1 })),
      300,
    );
    await expect(page).rejects.toThrow('The deadline passed before the list was read');
    // The only connection is free again.
    expect(await select(db, 'select 1 as one')).toEqual([{ one: 1 }]);
    const running = `select pid from pg_stat_activity where state = 'active' and query like '%pg_sleep(600)%'
      and datname = current_database() and pid <> pg_backend_pid()`;
    expect(await select(observer, running)).toEqual([]);
  });
});
