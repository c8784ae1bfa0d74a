import {
  type Card,
  type CardFilters,
  cardFilters,
  type Document,
  replyOf,
  type searchCards,
} from '@cardinal/contracts';
import { openDatabase } from '@cardinal/db';
import { rounds, testDatabase } from '@cardinal/testkit';
import fc from 'fast-check';
import { type Insertable, sql } from 'kysely';
import { v7 } from 'uuid';
import { afterAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { listAllCards } from '../src/cards/all-cards.ts';
import { rememberDocuments } from '../src/cards/documents.ts';
import type { PlaceInBoard } from '../src/cards/orders.ts';
import type { Reader, Tables } from '../src/database.ts';
import { readWholePage } from './support/whole-pages.ts';

const { url } = await testDatabase({ service: 'card' });
const db = openDatabase<Tables>({ url, name: 'test' });
afterAll(() => db.close());

type NewCard = Insertable<Tables['cards']>;
type Sort = z.output<typeof searchCards.request>['filters']['sort'];
type Columns = { id: string; position: number }[];

const labels = [v7(), v7(), v7()];
const users = [v7(), v7()];
const dues = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
const priorities = ['urgent', 'important'] as const;
const words = ['needle', 'Haystack', 'Straße', 'Жук', 'жара', '100%', 'a_b', '漢字検索', 'É', 'x'];
const searches = [
  'NEED',
  'stra',
  'SSE',
  'ß',
  'жУК',
  'жар',
  '%',
  '_',
  '字検索',
  'é',
  'e h',
  'AB',
  'aystackx',
  'nowhere',
];
/** As the titles here are folded. */
const fold = (text: string) => text.toLowerCase().replaceAll('ß', 'ss');

const now = new Date();
/** Who made the boards. */
const owner = v7();
/** A workspace with two workstreams and a board of three columns; the second board, a private one, takes other cards. */
const setUp = async () => {
  const workspace_id = v7();
  const boards = [v7(), v7()] as const;
  const workstreams = [v7(), v7()] as const;
  const stamps = { created_at: now, updated_at: now, version: 1 };
  const columns = boards.flatMap((board_id) =>
    [2, 1, 3].map((position) => ({ workspace_id, board_id, id: v7(), name: 'Column', position, ...stamps })),
  );
  await db.transaction(async (tx) => {
    const board = { workspace_id, name: 'Board', created_by: owner, ...stamps };
    await tx
      .insertInto('boards')
      .values(boards.map((id, at) => ({ ...board, id, visibility: at === 0 ? 'workspace' : 'private' })))
      .execute();
    await tx.insertInto('columns').values(columns).execute();
    const workstream = { workspace_id, version: 1, name: 'Main' };
    await tx
      .insertInto('workstreams')
      .values(workstreams.map((id) => ({ ...workstream, id, prefix: id })))
      .execute();
  });
  return { workspace_id, boards, workstreams, columns };
};
type Fixture = Awaited<ReturnType<typeof setUp>>;

const some = <T>(values: readonly T[]) => fc.subarray([...values]);
const one = <T>(...values: T[]) => fc.constantFrom(...values);
const cardTraits = fc.record({
  column: fc.nat(5),
  words: some(words),
  labels: some(labels),
  users: some(users),
  workstream: fc.nat(1),
  priority: one(null, ...priorities),
  due: one(null, ...dues),
  completed: fc.boolean(),
  archived: one(false, false, true),
  updated: one(...dues),
  /** Which cards it waits for, by their number, and whether it still does. */
  waitsFor: fc.array(fc.tuple(fc.nat(49), fc.boolean()), { maxLength: 2 }),
});
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
/** A filter that is given once or several times. */
const several = <T extends string>(...values: T[]) =>
  fc
    .uniqueArray(one(...values), { minLength: 1, maxLength: 3 })
    .map((some) => (some[1] === undefined ? (some[0] as T) : some));
const wish = fc.record({
  column: maybe(fc.nat(5)),
  label_id: maybe(several(...labels, v7(), 'none')),
  assignee_user_id: maybe(several(...users, 'none')),
  workstream: maybe(fc.nat(1)),
  priority: maybe(several(...priorities, 'none' as const)),
  archived: one<boolean | 'any'>(false, false, true, 'any'),
  updated_after: maybe(one(...dues)),
  completed: maybe(fc.boolean()),
  blocked: maybe(fc.boolean()),
  due_before: maybe(one(...dues)),
  due_after: maybe(one(...dues)),
  q: maybe(one(...searches)),
  limit: fc.integer({ min: 1, max: 12 }),
  firstRows: fc.integer({ min: 1, max: 60 }),
  maxRows: fc.integer({ min: 1, max: 60 }),
});
type Traits = typeof cardTraits extends fc.Arbitrary<infer T> ? T : never;
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

/** Writes the cards; those of the columns 3 to 5 are on the other board. */
const write = async ({ workspace_id, columns, workstreams }: Fixture, traits: Traits[]) => {
  const cards = traits.map((card, position) => ({
    ...{ workspace_id, id: v7(), version: 1, position, identifier: `C-${position}`, created_by: v7() },
    ...{ board_id: columns[card.column]?.board_id as string, column_id: columns[card.column]?.id as string },
    ...{ title: card.words.join(' '), label_ids: card.labels, assignee_user_ids: card.users },
    ...{
      priority: card.priority,
      due_date: card.due && new Date(card.due),
      created_at: now,
      updated_at: new Date(card.updated),
    },
    ...{ completed_at: card.completed ? now : null, archived_at: card.archived ? now : null },
    workstream_id: workstreams[card.workstream] as string,
  })) satisfies NewCard[];
  const edges = traits.flatMap(({ waitsFor }, at) =>
    waitsFor.map(([other, present]) => ({ at, other: other % cards.length, present })),
  );
  const unique = [...new Map(edges.map((edge) => [`${edge.at} ${edge.other}`, edge])).values()];
  await db.transaction(async (tx) => {
    await tx.insertInto('cards').values(cards).execute();
    const rows = unique.map(({ at, other, present }) => ({
      ...{ workspace_id, version: 1, present },
      ...{ card_id: cards[at]?.id as string, depends_on_card_id: cards[other]?.id as string },
    }));
    if (rows.length > 0) await tx.insertInto('card_dependencies').values(rows).execute();
  });
  const blocked = new Set(unique.filter((e) => e.present && !cards[e.other]?.completed_at).map((e) => cards[e.at]?.id));
  return { cards, blocked };
};

/** Reads a list to its end. */
const readAll = async (fixture: Fixture, filters: CardFilters, { limit, firstRows, maxRows }: Wish) => {
  const ids: string[] = [];
  const listing = { workspaceId: fixture.workspace_id, boardId: fixture.boards[0], filters, limit };
  for (let after: PlaceInBoard | undefined; ; ) {
    const rows = await readWholePage(db.read, { ...listing, after }, { firstRows, maxRows });
    const page = rows.slice(0, limit);
    ids.push(...page.map((row) => row.id));
    const last = page.at(-1);
    if (!last || rows.length <= limit) return ids;
    after = last;
  }
};

const filtersOf = ({ columns, workstreams }: Fixture, wanted: Wish): CardFilters => {
  const { column, workstream, limit: _, firstRows: __, maxRows: ___, ...filters } = wanted;
  return cardFilters.parse({
    ...filters,
    column_id: column === undefined ? undefined : columns[column]?.id,
    workstream_id: workstream === undefined ? undefined : workstreams[workstream],
  });
};

/** Whether one of the values that a filter asks for is among a card's; `none` asks for a card without any. */
const has = (filter: string | string[] | undefined, values: readonly unknown[]) =>
  filter === undefined ||
  [filter].flat().some((asked) => (asked === 'none' ? values.length === 0 : values.includes(asked)));

type Written = Awaited<ReturnType<typeof write>>;

/** What a plain filter leaves of all cards, in the order in which they were written. */
const matching = ({ cards, blocked }: Written, filters: CardFilters) =>
  cards.filter(
    (card) =>
      (filters.archived === 'any' || (card.archived_at !== null) === filters.archived) &&
      has(filters.column_id, [card.column_id]) &&
      has(filters.label_id, card.label_ids) &&
      has(filters.assignee_user_id, card.assignee_user_ids) &&
      has(filters.workstream_id, [card.workstream_id]) &&
      has(filters.priority, card.priority === null ? [] : [card.priority]) &&
      (filters.completed === undefined || (card.completed_at !== null) === filters.completed) &&
      (filters.blocked === undefined || blocked.has(card.id) === filters.blocked) &&
      (filters.due_before === undefined || (card.due_date && card.due_date < new Date(filters.due_before))) &&
      (filters.due_after === undefined || (card.due_date && card.due_date > new Date(filters.due_after))) &&
      (filters.updated_after === undefined || card.updated_at > new Date(filters.updated_after)) &&
      (filters.q === undefined || fold(card.title).includes(fold(filters.q))),
  );

/** Reads the list of all cards to its end, as the owner of the boards or as somebody else. */
const readAllCards = async (
  { workspace_id }: Fixture,
  filters: z.output<typeof searchCards.request>['filters'],
  user_id: string,
  { limit, firstRows, maxRows }: Wish,
) => {
  const list = listAllCards({ db }, rememberDocuments(db), { firstRows, maxRows });
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const answer = (await list({ workspace_id, user_id, filters, page: { limit, cursor } })) as Document;
    const { items, next_cursor } = replyOf(answer) as { items: Card[]; next_cursor: string | null };
    ids.push(...items.map(({ id }) => id));
    if (next_cursor === null) return ids;
    cursor = next_cursor;
  }
};

const order = (columns: Columns, card: NewCard) =>
  (columns.find(({ id }) => id === card.column_id)?.position ?? 0) * 1_000 + card.position;

describe('both ways to a page', () => {
  it('lead to what a plain filter of all cards leaves, in order, however far they go at first', async () => {
    const boards = fc.tuple(
      fc.array(cardTraits, { minLength: 1, maxLength: 50 }),
      fc.array(wish, { minLength: 12, maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(boards, async ([traits, wishes]) => {
        const fixture = await setUp();
        const { cards, blocked } = await write(fixture, traits);
        for (const wanted of wishes) {
          const filters = filtersOf(fixture, wanted);
          const expected = matching({ cards, blocked }, filters)
            .filter((card) => card.board_id === fixture.boards[0])
            .toSorted((a, b) => order(fixture.columns, a) - order(fixture.columns, b));
          const found = await readAll(fixture, filters, wanted);
          expect(found).toEqual(expected.map(({ id }) => id));
        }
      }),
      { numRuns: rounds(40, 12) },
    );
  });

  it('lead to the cards of all boards that the caller sees, in each order', async () => {
    const asked = fc.record({
      wanted: wish,
      sort: one<Sort>('-created', 'created', 'due', 'updated', '-updated'),
      /** The cards that it is narrowed to, by their number. */
      only: maybe(fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 20 })),
      isOwner: fc.boolean(),
      board: maybe(several('0', '1', v7())),
    });
    const all = fc.tuple(
      fc.array(cardTraits, { minLength: 1, maxLength: 50 }),
      fc.array(asked, { minLength: 12, maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(all, async ([traits, lists]) => {
        const fixture = await setUp();
        const written = await write(fixture, traits);
        const boardOf = (asked: string) => fixture.boards[Number(asked)] ?? asked;
        for (const { wanted, sort, only, isOwner, board } of lists) {
          const filters = filtersOf(fixture, wanted);
          const board_id = board && [board].flat().map(boardOf);
          const card = only?.map((at) => written.cards[at]?.id ?? v7());
          const left = matching(written, filters).filter(
            ({ id, board_id: of }) => has(card, [id]) && has(board_id, [of]) && (isOwner || of === fixture.boards[0]),
          );
          if (sort.endsWith('updated')) left.sort((a, b) => Number(a.updated_at) - Number(b.updated_at));
          if (sort.startsWith('-')) left.reverse();
          if (sort === 'due') left.sort((a, b) => Number(a.due_date || 1e15) - Number(b.due_date || 1e15));
          const found = await readAllCards(
            fixture,
            { ...filters, sort, board_id, card },
            isOwner ? owner : v7(),
            wanted,
          );
          expect(found).toEqual(left.map(({ id }) => id));
        }
      }),
      { numRuns: 20 },
    );
  });
});

/** How many cards the transaction has read. */
const cardsRead = async (tx: Reader) => {
  const { rows } = await sql<{ tuples: number }>`
    select seq_tup_read + idx_tup_fetch as tuples from pg_stat_xact_user_tables
    where relid = 'cards'::regclass`.execute(tx);
  return rows[0]?.tuples ?? 0;
};

describe('the cost of a page of few', () => {
  // Large enough that to read the whole table is never the cheapest plan.
  const size = 30_000;
  const label_id = v7();
  const assignee_user_id = v7();
  /** The last cards of a large board are the only ones of their kind. */
  const fill = async () => {
    const fixture = await setUp();
    const { workspace_id, boards, columns, workstreams } = fixture;
    const run = (statement: ReturnType<typeof sql>) =>
      db.transaction(async (tx) => {
        // More rows than the service ever writes at once.
        await sql`set local statement_timeout = 0`.execute(tx);
        await statement.execute(tx);
      });
    await run(sql`
      insert into cards (workspace_id, id, version, board_id, column_id, position, title, created_by, created_at, updated_at,
        workstream_id, identifier, label_ids, assignee_user_ids, priority, due_date)
      select ${workspace_id}, gen_random_uuid(), 1, ${boards[0]}, ${columns[0]?.id}, n,
        case when last then 'Needle Жук' else 'Something жар' end, ${v7()}, now(),
        case when last then timestamptz '2026-03-01' else timestamptz '2026-01-01' end,
        case when last then ${workstreams[0]}::uuid else ${workstreams[1]}::uuid end, 'C-' || n,
        array[case when last then ${label_id}::uuid else ${labels[0]}::uuid end],
        array[case when last then ${assignee_user_id}::uuid else ${users[0]}::uuid end],
        case when last then 'urgent' else 'important' end,
        case when last then timestamptz '2026-01-01' else timestamptz '2026-06-01' end
      from (select n, n > ${size} - 3 as last from generate_series(1, ${size}::int) as n) as numbers`);
    await run(sql`
      insert into card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
      select workspace_id, id, (select id from cards where workspace_id = ${workspace_id} and position = 1), 1, true
      from cards where workspace_id = ${workspace_id} and position > ${size} - 3`);
    for (const table of ['cards', 'columns', 'card_dependencies']) {
      await db.read((tx) => sql`analyze ${sql.table(table)}`.execute(tx));
    }
    return fixture;
  };
  const fixture = fill();

  it.each<[string, (of: Fixture) => Partial<CardFilters>]>([
    ['label_id', () => ({ label_id })],
    ['assignee_user_id', () => ({ assignee_user_id })],
    ['workstream_id', ({ workstreams }) => ({ workstream_id: workstreams[0] })],
    ['priority', () => ({ priority: 'urgent' })],
    ['due_before', () => ({ due_before: '2026-02-01T00:00:00Z' })],
    ['updated_after', () => ({ updated_after: '2026-02-01T00:00:00Z' })],
    ['blocked', () => ({ blocked: true })],
    ['q', () => ({ q: 'needle' })],
    ['q in letters beyond ASCII', () => ({ q: 'ЖУК' })],
    ['two that many have and few together', () => ({ label_id, priority: 'urgent', q: 'needle' })],
  ])('does not grow with the board: %s', async (_, filtersOfCase) => {
    const { workspace_id, boards, ...rest } = await fixture;
    const filters = { archived: false, ...filtersOfCase({ workspace_id, boards, ...rest }) };
    const tuples = await db.transaction(async (tx) => {
      const before = await cardsRead(tx);
      const listing = { workspaceId: workspace_id, boardId: boards[0], after: undefined, limit: 50 };
      expect(await readWholePage((query) => query(tx), { ...listing, filters })).toHaveLength(3);
      return (await cardsRead(tx)) - before;
    });
    expect(tuples).toBeGreaterThanOrEqual(3);
    expect(tuples).toBeLessThan(300);
  });

  it.each(['-created', 'created', 'due', 'updated', '-updated'] as const)(
    'does not grow with the workspace: all cards by %s',
    async (sort) => {
      const { workspace_id } = await fixture;
      const tuples = await db.transaction(async (tx) => {
        const before = await cardsRead(tx);
        const list = listAllCards({ db: { ...db, read: (query) => query(tx) } }, rememberDocuments(db));
        const request = { workspace_id, user_id: v7(), filters: { archived: false, sort }, page: { limit: 50 } };
        expect(((await list(request)) as Document).head.next_cursor).not.toBeNull();
        return (await cardsRead(tx)) - before;
      });
      expect(tuples).toBeGreaterThan(50);
      expect(tuples).toBeLessThan(400);
    },
  );

  it('is shared by statements of which none looks at more than some thousand cards, where no index helps', async () => {
    const { workspace_id, boards } = await fixture;
    const statements: number[] = [];
    const counting = <T>(query: (tx: Reader) => Promise<T>) =>
      db.transaction(async (tx) => {
        const before = await cardsRead(tx);
        const answer = await query(tx);
        statements.push((await cardsRead(tx)) - before);
        return answer;
      });
    const listing = { workspaceId: workspace_id, boardId: boards[0], after: undefined, limit: 50 };
    expect(await readWholePage(counting, { ...listing, filters: { archived: false, q: 'жу' } })).toHaveLength(3);
    expect(statements.reduce((sum, one) => sum + one)).toBeGreaterThan(size);
    expect(Math.max(...statements)).toBeLessThan(size / 5);
  });
});
