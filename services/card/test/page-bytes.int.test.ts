import { listComments, type pageReply } from '@cardinal/contracts';
import { openPage, pageBytes, sortKey } from '@cardinal/runtime';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { listComments as readComments } from '../src/comments/comments.ts';
import { startFixture } from './support/fixture.ts';
import { readWholePage } from './support/whole-pages.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;
const { db } = fixture.instance;

/** Ten texts each: as short and as long as may be, and those that are six times as long in JSON. */
const text = sql`(array[
  '', 'short', repeat(chr(1), 20000), repeat('x', 20000), repeat(chr(128512), 20000), repeat(chr(1), 5000),
  repeat('"', 20000), repeat('ß', 20000), repeat(chr(1), 20000), repeat(chr(1), 20000)])[1 + n % 10]`;
const rowCount = 100;

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('One');
  const column = columns[0] as { id: string };
  const [model] = await workspace.cards(column.id, 'Card');
  const card_id = model?.id ?? '';
  const { workspace_id, user_id } = workspace.who;
  await db.transaction(async (tx) => {
    await sql`
      insert into cards (workspace_id, id, version, board_id, column_id, position, title, description, created_by,
        created_at, updated_at, workstream_id, identifier)
      select workspace_id, gen_random_uuid(), 1, board_id, column_id, position + n, 'Card', ${text}, created_by,
        created_at, updated_at, workstream_id, 'MANY-' || n
      from cards, generate_series(1, ${rowCount - 1}) as n where workspace_id = ${workspace_id}`.execute(tx);
    await sql`
      insert into comments (workspace_id, id, version, card_id, body, created_by, created_at, updated_at)
      select ${workspace_id}, gen_random_uuid(), 1, ${card_id}, ${text}, ${user_id}, now(), now()
      from generate_series(1, ${rowCount}) as n`.execute(tx);
  });
  const comments = (limit: number, cursor?: string) =>
    bus.call(listComments, { ...workspace.who, card_id, page: { limit, cursor } });
  const cards = (limit: number, cursor?: string) => workspace.page(board.id, {}, limit, cursor);
  return { workspace_id, board, card_id, cards, comments };
};

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
type Page<Item extends z.ZodType> = z.output<ReturnType<typeof pageReply<Item>>>;

/** Walks a list and checks of each page that it ended where it had to. */
const walk = async <Item extends z.ZodType<{ id: string }>>(
  read: (limit: number, cursor?: string) => Promise<Page<Item>>,
  limit: number,
) => {
  const pages: Page<Item>['items'][] = [];
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await read(limit, cursor);
    expect(items.length).toBeGreaterThan(0);
    expect(jsonBytes(items)).toBeLessThanOrEqual(pageBytes);
    pages.push(items);
    cursor = next_cursor ?? undefined;
  } while (cursor);
  for (const [at, items] of pages.entries()) {
    const next = pages[at + 1]?.[0];
    if (next && items.length < limit) expect(jsonBytes([...items, next])).toBeGreaterThan(pageBytes);
  }
  return pages.flat().map(({ id }) => id);
};

it('pages end by bytes too, and over any limit hold every item once, in order', async () => {
  const { workspace_id, card_id, cards, comments } = await setUp();
  const wanted = await db.read(async (tx) => ({
    cards: await tx
      .selectFrom('cards')
      .select('id')
      .where('workspace_id', '=', workspace_id)
      .orderBy('position')
      .execute(),
    comments: await tx.selectFrom('comments').select('id').where('card_id', '=', card_id).orderBy('id').execute(),
  }));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (limit) => {
      expect(await walk(cards, limit)).toEqual(wanted.cards.map(({ id }) => id));
      expect(await walk(comments, limit)).toEqual(wanted.comments.map(({ id }) => id));
    }),
    { numRuns: 5, examples: [[100], [1]] },
  );
});

it('the database delivers no more than a page can hold', async () => {
  const { workspace_id, board, card_id } = await setUp();
  const where = { workspaceId: workspace_id, boardId: board.id };
  const listing = { ...where, filters: { archived: false }, after: undefined, limit: 100 };
  const cards = await readWholePage(db.read, listing);
  const page = openPage(['any', workspace_id], [sortKey.id], { limit: 100 });
  const comments = await db.read((tx) => readComments(tx, workspace_id, card_id, page));
  const lengths = [cards.map((row) => `${row.title}${row.description}`), comments.map((row) => row.body)];
  for (const texts of lengths) {
    const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    expect(bytes).toBeGreaterThanOrEqual(pageBytes);
    // The row that passes the bound, and the one after it that shows that there are more: 20,000 characters of four
    // bytes each.
    expect(bytes).toBeLessThan(pageBytes + 2 * 81_000);
  }
});

it('one item is a page where it alone passes the bound', async () => {
  const { workspace_id, comments } = await setUp();
  await db.transaction((tx) =>
    sql`update comments set body = repeat(chr(1), 174100) where workspace_id = ${workspace_id}`.execute(tx),
  );
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let count = 0; count < 3; count += 1) {
    const { items, next_cursor } = await comments(100, cursor);
    expect(items).toHaveLength(1);
    seen.add(items[0]?.id ?? '');
    cursor = next_cursor ?? undefined;
  }
  expect(seen.size).toBe(3);
});
