import {
  archiveCard,
  archiveColumn,
  type Card,
  type CardFilters,
  type Column,
  createCard,
  patchCard,
} from '@cardinal/contracts';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { listCards, type PlaceInBoard } from '../src/store/card-list.ts';
import type { Tx } from '../src/store/database.ts';
import { startGround } from './support/ground.ts';
import { startIdentifierDouble } from './support/identifier-double.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const ground = await startGround();
const identifier = await startIdentifierDouble(ground.natsUrl);
const { bus } = ground;
const { db } = (ground.instances[0] as (typeof ground.instances)[number]).parts;

/** Reads a list to its end. */
const walk = async (
  { page }: Workspace,
  boardId: string,
  { limit = 2, filters = {}, between = async () => {} }: Walk = {},
) => {
  const seen: Card[] = [];
  let cursor: string | undefined;
  do {
    const answer = await page(boardId, filters, limit, cursor);
    expect(answer.items.length).toBeLessThanOrEqual(limit);
    seen.push(...answer.items);
    cursor = answer.next_cursor ?? undefined;
    await between(seen);
  } while (cursor);
  return seen;
};
interface Walk {
  limit?: number;
  filters?: Partial<CardFilters>;
  /** What happens after each page. */
  between?: (seen: Card[]) => Promise<unknown>;
}

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('One', 'Two', 'Empty', 'Four');
  const [one, two, , four] = columns as [Column, Column, Column, Column];
  await workspace.cards(one.id, 'C', 'B', 'A');
  await workspace.cards(two.id, 'E', 'D');
  await workspace.cards(four.id, 'G', 'F');
  const card = async (title: string) =>
    (await workspace.page(board.id)).items.find((found) => found.title === title) as Card;
  const edit = async (title: string, body: Parameters<typeof patch>[1]) => patch(await card(title), body);
  const patch = (target: Card, body: { title?: string; due_date?: string; priority?: 'urgent'; completed?: boolean }) =>
    bus.call(patchCard, { ...workspace.order(), card_id: target.id, if_match: [target.version], body });
  return { workspace, board, one, two, four, card, edit };
};

describe('the order', () => {
  it('is by column, then by position, over any page size', async () => {
    const { workspace, board } = await setUp();
    for (const limit of [1, 2, 3, 7, 100]) {
      const seen = await walk(workspace, board.id, { limit });
      expect(seen.map((card) => card.title).join('')).toBe('ABCDEFG');
    }
  });

  it('ends with a page that is full and last', async () => {
    const { workspace, board } = await setUp();
    expect((await workspace.page(board.id, {}, 7)).next_cursor).toBeNull();
    expect((await workspace.page(board.id, {}, 6)).next_cursor).not.toBeNull();
  });

  it('keeps the active cards of an archived column', async () => {
    const { workspace, board, one } = await setUp();
    await bus.call(archiveColumn, { ...workspace.order(), column_id: one.id, if_match: [1] });
    expect((await workspace.titles(board.id)).join('')).toBe('ABCDEFG');
  });

  it('knows nothing of other boards and workspaces', async () => {
    const { workspace, board } = await setUp();
    const other = openWorkspace(bus);
    const empty = await workspace.board('Nothing');
    expect(await workspace.titles(empty.board.id)).toEqual([]);
    for (const id of [board.id, v7()]) await expect(other.page(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the filters', () => {
  const titles = async (workspace: Workspace, boardId: string, filters: Partial<CardFilters>) =>
    (await walk(workspace, boardId, { filters })).map((card) => card.title).join('');

  it('column_id', async () => {
    const { workspace, board, two } = await setUp();
    expect(await titles(workspace, board.id, { column_id: two.id })).toBe('DE');
    expect(await titles(workspace, board.id, { column_id: v7() })).toBe('');
    const far = await workspace.board('Far');
    await workspace.cards(far.columns[0]?.id ?? '', 'Far');
    expect(await titles(workspace, board.id, { column_id: far.columns[0]?.id })).toBe('');
  });

  it('archived', async () => {
    const { workspace, board, card } = await setUp();
    const b = await card('B');
    await bus.call(archiveCard, { ...workspace.order(), card_id: b.id, if_match: [1] });
    expect(await titles(workspace, board.id, {})).toBe('ACDEFG');
    expect(await titles(workspace, board.id, { archived: true })).toBe('B');
  });

  it('completed', async () => {
    const { workspace, board, edit } = await setUp();
    await edit('A', { completed: true });
    await edit('G', { completed: true });
    expect(await titles(workspace, board.id, { completed: true })).toBe('AG');
    expect(await titles(workspace, board.id, { completed: false })).toBe('BCDEF');
  });

  it('priority', async () => {
    const { workspace, board, edit } = await setUp();
    await edit('D', { priority: 'urgent' });
    expect(await titles(workspace, board.id, { priority: 'urgent' })).toBe('D');
    expect(await titles(workspace, board.id, { priority: 'important' })).toBe('');
  });

  it('due_before and due_after, neither with the moment itself', async () => {
    const { workspace, board, edit } = await setUp();
    await edit('A', { due_date: '2026-01-01T00:00:00Z' });
    await edit('B', { due_date: '2026-01-02T00:00:00Z' });
    await edit('C', { due_date: '2026-01-03T00:00:00.001Z' });
    expect(await titles(workspace, board.id, { due_before: '2026-01-02T00:00:00Z' })).toBe('A');
    expect(await titles(workspace, board.id, { due_after: '2026-01-02T00:00:00Z' })).toBe('C');
    const window = { due_after: '2026-01-01T01:00:00+02:00', due_before: '2026-01-03T00:00:00Z' };
    expect(await titles(workspace, board.id, window)).toBe('AB');
  });

  it('workstream_id', async () => {
    const { workspace, board, two } = await setUp();
    const { id } = identifier.add(workspace.who.workspace_id, 'WEB');
    const body = { title: 'W', workstream_id: id };
    await bus.call(createCard, { ...workspace.order(), column_id: two.id, body });
    expect(await titles(workspace, board.id, { workstream_id: id })).toBe('W');
    expect(await titles(workspace, board.id, { workstream_id: v7() })).toBe('');
  });

  it.each([
    ['assignee_user_id', 'assignee_user_ids'],
    ['label_id', 'label_ids'],
  ] as const)('%s', async (filter, field) => {
    const { workspace, board, card } = await setUp();
    const [mine, both, nobody] = [v7(), v7(), v7()];
    const set = async (title: string, ids: string[]) => {
      const { id } = await card(title);
      await db.transaction((tx) =>
        tx
          .updateTable('cards')
          .set({ [field]: ids })
          .where('id', '=', id)
          .execute(),
      );
    };
    await set('A', [both]);
    await set('E', [mine, both]);
    expect(await titles(workspace, board.id, { [filter]: both })).toBe('AE');
    expect(await titles(workspace, board.id, { [filter]: mine })).toBe('E');
    expect(await titles(workspace, board.id, { [filter]: nobody })).toBe('');
  });

  it('blocked: by a dependency that is not completed, wherever it is', async () => {
    const { workspace, board, card, edit } = await setUp();
    const depend = async (from: string, to: Card) => {
      const { workspace_id } = workspace.who;
      const row = { workspace_id, card_id: (await card(from)).id, depends_on_card_id: to.id };
      await db.transaction((tx) => tx.insertInto('card_dependencies').values(row).execute());
    };
    const far = await workspace.board('Far');
    const [elsewhere] = await workspace.cards(far.columns[0]?.id ?? '', 'Elsewhere');
    await depend('A', elsewhere as Card);
    await depend('B', await card('G'));
    await depend('B', await card('F'));
    await depend('C', await card('F'));
    await edit('F', { completed: true });
    expect(await titles(workspace, board.id, { blocked: true })).toBe('AB');
    expect(await titles(workspace, board.id, { blocked: false })).toBe('CDEFG');
  });

  it('q: a part of the title in any letter case, and nothing is a wildcard', async () => {
    const { workspace, board, edit } = await setUp();
    await edit('A', { title: '100% done_ \\o/ ÉTÉ' });
    await edit('B', { title: '100x doneX' });
    const find = (q: string) => titles(workspace, board.id, { q });
    expect(await find('00% DONE_')).toBe('100% done_ \\o/ ÉTÉ');
    expect(await find('été')).toBe('100% done_ \\o/ ÉTÉ');
    expect(await find('\\O')).toBe('100% done_ \\o/ ÉTÉ');
    expect(await find('X')).toBe('100x doneX');
    expect(await find('%')).toBe('100% done_ \\o/ ÉTÉ');
    expect(await find("'; --")).toBe('');
  });

  it('all of them at once', async () => {
    const { workspace, board, one, edit } = await setUp();
    await edit('A', { completed: true, priority: 'urgent' });
    await edit('B', { completed: true });
    await edit('D', { completed: true, priority: 'urgent' });
    const filters = { column_id: one.id, completed: true, priority: 'urgent', blocked: false, q: 'a' } as const;
    expect(await titles(workspace, board.id, filters)).toBe('A');
  });
});

describe('the cursor', () => {
  it('belongs to one list: its workspace, its board, its filters', async () => {
    const { workspace, board, one } = await setUp();
    const another = await setUp();
    const { next_cursor } = await workspace.page(board.id, {}, 2);
    const cursor = next_cursor ?? '';
    const attempts = [
      workspace.page(board.id, { q: 'a' }, 2, cursor),
      workspace.page(board.id, { column_id: one.id }, 2, cursor),
      another.workspace.page(another.board.id, {}, 2, cursor),
      workspace.page(board.id, {}, 2, 'nonsense'),
      workspace.page(board.id, {}, 2, `${cursor.slice(0, -4)}AAAA`),
      workspace.page(board.id, {}, 2, Buffer.from('["x",1,2]').toString('base64url')),
    ];
    const refused = { code: 'invalid_request' };
    await Promise.all(attempts.map((attempt) => expect(attempt).rejects.toMatchObject(refused)));
    expect((await workspace.page(board.id, {}, 3, cursor)).items).toHaveLength(3);
  });

  it('may be used with another page size and again', async () => {
    const { workspace, board } = await setUp();
    const { next_cursor } = await workspace.page(board.id, {}, 2);
    const again = () => workspace.page(board.id, {}, 5, next_cursor ?? '');
    expect((await again()).items.map((card) => card.title).join('')).toBe('CDEFG');
    expect(await again()).toEqual(await again());
  });

  it('shows every card that stays exactly once while others move about it', async () => {
    const { workspace, board, one, two, four } = await setUp();
    const still = await workspace.cards(two.id, ...Array.from({ length: 20 }, (_, index) => `Still ${index}`));
    const restless = await workspace.cards(two.id, 'R1', 'R2', 'R3');
    let round = 0;
    const seen = await walk(workspace, board.id, {
      limit: 3,
      between: async (soFar) => {
        round += 1;
        const last = soFar.at(-1) as Card;
        const [r1, r2, r3] = restless as [Card, Card, Card];
        await workspace.move(r1.id, { column_id: round % 2 ? one.id : four.id });
        if (last.id !== r2.id) await workspace.move(r2.id, { after_card_id: last.id });
        await workspace.move(r3.id, { column_id: two.id, position: round % 2 ? 'start' : 'end' });
      },
    });
    const counts = Map.groupBy(seen, (card) => card.id);
    for (const card of still) expect(counts.get(card.id), card.title).toHaveLength(1);
  });

  it('shows every card once when positions are rebalanced in the middle', async () => {
    const { workspace, board, one } = await setUp();
    const [squeezed] = (await workspace.cards(one.id, 'Y', 'X')) as [Card];
    const [top] = (await workspace.page(board.id)).items as [Card];
    const before = await workspace.read(top.id);
    let rounds = 0;
    const seen = await walk(workspace, board.id, {
      limit: 1,
      between: async () => {
        if (rounds > 0) return;
        rounds += 1;
        const a = (await workspace.page(board.id)).items[2] as Card;
        for (let count = 0; count < 60; count += 1) {
          await workspace.move(squeezed.id, { after_card_id: top.id });
          await workspace.move(a.id, { after_card_id: top.id });
        }
      },
    });
    expect((await workspace.read(top.id)).position, 'a rebalancing took place').not.toBe(before.position);
    expect(seen.map((card) => card.title).join('')).toBe('XAYBCDEFG');
  });
});

describe('the cost of a page', () => {
  it('does not grow with the board', async () => {
    const { workspace, board, one, two } = await setUp();
    const { workspace_id } = workspace.who;
    await db.transaction((tx) =>
      sql`
        insert into cards (workspace_id, id, version, board_id, column_id, position, title, created_by, created_at,
          updated_at, workstream_id, identifier)
        select workspace_id, gen_random_uuid(), 1, board_id, column_id, n, 'Card ' || n, created_by, created_at,
          updated_at, workstream_id, column_id || '-' || n
        from (select distinct on (column_id) * from cards where column_id in (${one.id}, ${two.id})) as model,
          generate_series(10, 10000) as n`.execute(tx),
    );
    await db.read((tx) => sql`analyze cards`.execute(tx));
    const tuplesRead = async (tx: Tx) => {
      const { rows } = await sql<{ tuples: number }>`
        select seq_tup_read + idx_tup_fetch as tuples from pg_stat_xact_user_tables
        where relid = 'cards'::regclass`.execute(tx);
      return rows[0]?.tuples ?? 0;
    };
    const read = (after: PlaceInBoard | undefined) =>
      db.transaction(async (tx) => {
        const before = await tuplesRead(tx);
        const rows = await listCards(tx, workspace_id, board.id, { filters: { archived: false }, after, limit: 51 });
        return { rows: rows.length, tuples: (await tuplesRead(tx)) - before };
      });
    const deep = { columnId: one.id, columnPosition: one.position, cardPosition: 9_980 };
    for (const after of [undefined, deep]) {
      const { rows, tuples } = await read(after);
      expect(rows).toBe(51);
      expect(tuples).toBeGreaterThanOrEqual(51);
      expect(tuples).toBeLessThan(300);
    }
  });
});
