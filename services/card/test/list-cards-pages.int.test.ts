import type { Card } from '@cardinal/contracts';
import { openPage } from '@cardinal/runtime';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openLists } from '../src/cards/list.ts';
import type { PlaceInBoard } from '../src/cards/orders.ts';
import type { Tx } from '../src/database.ts';
import { positionKeys } from '../src/positions/queries.ts';
import { startFixture } from './support/fixture.ts';
import { setUpBoard, walk } from './support/listing.ts';
import { readWholePage } from './support/whole-pages.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;
const { db } = fixture.instance;
const setUp = () => setUpBoard(bus);

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
    const [below, top] = (await workspace.cards(one.id, 'Y', 'X')) as [Card, Card];
    await workspace.move(below.id, { position: -8 });
    const before = await workspace.move(top.id, { position: -8 * (1 + Number.EPSILON) });
    let isFull = true;
    const seen = await walk(workspace, board.id, {
      limit: 1,
      between: async () => {
        const [, , a] = (await workspace.page(board.id)).items as [Card, Card, Card];
        if (isFull) await workspace.move(a.id, { after_card_id: top.id });
        isFull = false;
      },
    });
    expect((await workspace.read(top.id)).position, 'a rebalancing took place').not.toBe(before.position);
    expect(seen.map((card) => card.title).join('')).toBe('XAYBCDEFG');
  });
});

it('a cursor that somebody made up tells nothing of a column that they do not see', async () => {
  const { workspace, board } = await setUp();
  const hidden = await openWorkspace(bus).board('Hidden');
  const scope = ['cards', workspace.who.workspace_id, board.id, [['archived', false]]] as const;
  const page = openPage(scope, [...positionKeys, ...positionKeys] as const, { limit: 1 });
  const after = (columnId: string) => {
    // The column's true version: where it counted, its true position would, and hide what is above that.
    const { head } = page.cut([1, 2], String, () => [columnId, -5, 1, v7(), 0, 1]);
    return workspace.page(board.id, {}, 10, head.next_cursor ?? '');
  };
  const { items } = await after(v7());
  expect(items.length).toBeGreaterThan(0);
  expect((await after(hidden.columns[0]?.id ?? '')).items).toEqual(items);
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
    const list = async (tx: Tx, after: PlaceInBoard | undefined) => {
      const where = { workspaceId: workspace_id, boardId: board.id };
      const listing = { ...where, filters: { archived: false }, after, limit: 50 };
      return (await readWholePage((query) => query(tx), listing)).length;
    };
    const open = async (tx: Tx, after: PlaceInBoard | undefined) => {
      const at = after && { column_id: after.column_id, column_position: after.column_position };
      const asked = {
        ...workspace.who,
        board_id: board.id,
        most: 50,
        ordinal: 1,
        ...at,
        card_position: after?.position,
      };
      const [opened] = await openLists.run(tx, [JSON.stringify([asked])]);
      return (opened?.states?.split(',').length ?? 0) + (opened?.last ? 1 : 0);
    };
    const deep = { column_id: one.id, column_position: one.position, position: 9_980 };
    for (const read of [list, open]) {
      for (const after of [undefined, deep]) {
        await db.transaction(async (tx) => {
          const before = await tuplesRead(tx);
          expect(await read(tx, after)).toBe(51);
          const tuples = (await tuplesRead(tx)) - before;
          expect(tuples).toBeGreaterThanOrEqual(51);
          expect(tuples).toBeLessThan(300);
        });
      }
    }
  });
});
