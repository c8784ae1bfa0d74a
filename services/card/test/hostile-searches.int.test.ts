import { type CardFilters, listCards } from '@cardinal/contracts';
import { openDatabase } from '@cardinal/db';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { afterAll, describe, expect, it } from 'vitest';

import type { Tables } from '../src/database.ts';
import { startFixture } from './support/fixture.ts';
import { readWholePage } from './support/whole-pages.ts';
import { openWorkspace } from './support/workspace.ts';

describe('titles that are all but what is searched for', () => {
  const cards = 3_000;
  const letter = '\u4e2d';
  // The last letter was the same as the others in the index of before.
  const q = `${letter.repeat(200)}\u4e47`;

  it('are compared as they are stored: nothing reads each of them letter by letter', async () => {
    const { url, adminUrl } = await testDatabase({ service: 'card' });
    const admin = openDatabase({ url: adminUrl, name: 'test' });
    const db = openDatabase<Tables>({ url, name: 'test' });
    afterAll(() => Promise.all([admin.close(), db.close()]));
    await admin.read((tx) => sql`grant set on parameter track_functions to public`.execute(tx));
    const [workspaceId, boardId, columnId, workstreamId] = [v7(), v7(), v7(), v7()];
    await db.transaction(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`
        insert into boards (workspace_id, id, version, name, visibility, created_by, created_at, updated_at)
        values (${workspaceId}, ${boardId}, 1, 'Board', 'workspace', ${v7()}, now(), now())`.execute(tx);
      await sql`
        insert into columns (workspace_id, id, version, board_id, name, position, created_at, updated_at)
        values (${workspaceId}, ${columnId}, 1, ${boardId}, 'Column', 1, now(), now())`.execute(tx);
      await sql`
        insert into workstreams (workspace_id, id, version, name, prefix)
        values (${workspaceId}, ${workstreamId}, 1, 'M', 'M')`.execute(tx);
      await sql`
        insert into cards (workspace_id, id, version, board_id, column_id, position, title, created_by, created_at,
          updated_at, workstream_id, identifier)
        select ${workspaceId}, gen_random_uuid(), 1, ${boardId}, ${columnId}, n, ${letter.repeat(240)}, ${v7()}, now(),
          now(), ${workstreamId}, 'M-' || n from generate_series(1, ${cards}::int) as n`.execute(tx);
    });
    const search = (filters: CardFilters) => {
      const listing = { workspaceId, boardId, filters, after: undefined, limit: 50 };
      return db.transaction(async (tx) => {
        await sql`set local track_functions = 'pl'`.execute(tx);
        const found = await readWholePage((query) => query(tx), listing);
        const { rows } = await sql<{ calls: number }>`
          select coalesce(sum(calls), 0)::int as calls from pg_stat_xact_user_functions
          where funcname = 'fold_case'`.execute(tx);
        return { found, calls: rows[0]?.calls };
      });
    };
    const { found, calls } = await search({ archived: false, q });
    expect(found).toEqual([]);
    // Of `q` itself, in each statement.
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(100);
    expect((await search({ archived: false, q: letter.repeat(200) })).found).toHaveLength(51);
  });
});

describe('lists with filters that take long', () => {
  it('are read one at a time of a workspace, and keep nobody else from reading', async () => {
    const fixture = await startFixture();
    const { bus } = fixture;
    const open = async () => {
      const workspace = openWorkspace(bus);
      const { board, columns } = await workspace.board('Doing');
      await workspace.cards(columns[0]?.id ?? '', 'Card');
      return { workspace, board };
    };
    const [attacker, other] = [await open(), await open()];
    const filters = { archived: false, blocked: true };
    const list = ({ workspace, board }: Awaited<ReturnType<typeof open>>) =>
      bus.call(listCards, { ...workspace.who, board_id: board.id, filters, page: { limit: 50 } });

    const observer = openDatabase({ url: fixture.urls.card, name: 'test' });
    afterAll(() => observer.close());
    const waiting = async () => {
      const { rows } = await observer.read((tx) =>
        sql<{ count: number }>`
          select count(*)::int from pg_stat_activity
          where datname = current_database() and application_name = 'card' and wait_event_type = 'Lock'`.execute(tx),
      );
      return rows[0]?.count;
    };
    const locked = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    // A search for blocked cards takes as long as this.
    const holding = observer.transaction(async (tx) => {
      await sql`lock table card_dependencies in access exclusive mode`.execute(tx);
      locked.resolve();
      await done.promise;
    });
    await locked.promise;
    const attack = Array.from({ length: 16 }, () => list(attacker));
    await expect.poll(waiting, { interval: 20 }).toBe(1);
    const search = list(other);
    await expect.poll(waiting, { interval: 20 }).toBe(2);
    // One that waits longer would have come by now: these go through the same queues.
    for (let reads = 0; reads < 20; reads += 1) {
      expect((await other.workspace.page(other.board.id)).items).toHaveLength(1);
      expect((await attacker.workspace.page(attacker.board.id)).items).toHaveLength(1);
    }
    expect(await waiting()).toBe(2);
    done.resolve();
    await holding;
    expect((await search).items).toEqual([]);
    for (const { items } of await Promise.all(attack)) expect(items).toEqual([]);
  });
});
