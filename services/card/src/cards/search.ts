import type { CardFilters } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import { createFairSemaphore } from '@cardinal/runtime';
import { type RawBuilder, sql } from 'kysely';
import type { ServiceContext } from '../context.ts';
import type { Reader } from '../database.ts';
import type { StatedCard } from './documents.ts';
import { indexesFor, isListed, type Scope } from './filters.ts';
import type { Order } from './orders.ts';
import { cardColumns } from './queries.ts';

/** A request for a page of a list of cards. */
export interface Listing<Card extends StatedCard> extends Scope {
  filters: CardFilters;
  /** The most cards on the page. */
  limit: number;
  /**
   * Makes the order from the page's beginning, or from behind `passed`, at its current place, where the search resumes
   * there.
   */
  order(passed?: Card): Order<Card> | Promise<Order<Card>>;
}

/** How many cards a statement examines. */
export interface Reach {
  /** The limit of the first statements: little more than a page, which suffices where most cards match. */
  firstRows?: number;
  /** The limit of all statements. It keeps each below a fraction of a second, for any titles and any `q`. */
  maxRows?: number;
}

/** Runs a query, after others that wait before it. */
export type Read = <T>(query: (tx: Reader) => Promise<T>) => Promise<T>;

/**
 * Creates the queue of searches, which examine many cards that they do not list. Each workspace runs one statement at a
 * time, round-robin between its users, so that the database stays free for other workspaces (ADR 0048).
 * @param busy the message of the `unavailable` error where a search waits too long
 * @returns a function that starts a search, and returns how to run its statements: a search that has begun precedes
 *   other searches of its user
 */
export const searchQueue = ({ db }: Pick<ServiceContext, 'db'>, busy: string) => {
  const queue = createFairSemaphore({ atOnce: 3, perWorkspace: 1, busy });
  return (): Read => {
    let first = false;
    return (query) => {
      const result = queue.run(() => db.read(query), { first });
      first = true;
      return result;
    };
  };
};

/**
 * A row of a search: a card, and its place among the cards found. A row that does not match marks where the search
 * reached its limit of rows.
 */
type Found = { id: string; matches: boolean; unfinished: boolean; nth: number };

/** The default of `maxRows`. */
const mostRows = 5_000;

/**
 * Reads the cards of a page of any list, and one more where there are more.
 *
 * There are two methods. A walk of the list in its order is fast where many cards match. An index look-up of all
 * matches, with a sort, is fast where few cards match. Statistics do not reliably predict the faster one (ADR 0017). So
 * the search alternates between them with the same limit of rows, then with eight times that limit, until one finishes:
 * the cost stays in proportion to the cost of the faster method. Where neither finishes within `maxRows`, the walk
 * alone continues, in parts.
 * @param read runs a query
 */
export const readListed = async <Card extends StatedCard>(
  read: Read,
  listing: Listing<Card>,
  { firstRows = 2 * (listing.limit + 1), maxRows = mostRows }: Reach = {},
): Promise<Card[]> => {
  const { workspaceId, filters } = listing;
  const listed = isListed(listing, filters);
  let indexes = indexesFor(listing, filters);
  let order = await listing.order();
  const found: Card[] = [];
  for (let rows = Math.min(firstRows, maxRows); ; rows = Math.min(rows * 8, maxRows)) {
    const limit = listing.limit - found.length;
    const cardsOf = (search: RawBuilder<Found>) => read((tx) => readFound(tx, search, { workspaceId, order, limit }));
    const walked = await cardsOf(walk(order, listed, { rows, limit }));
    if (!walked.end) return [...found, ...walked.cards];
    for (const index of indexes) {
      const all = await cardsOf(lookUp(order, listed, { index, rows, limit }));
      if (!all.end) return all.cards;
    }
    if (rows < maxRows) continue;
    indexes = [];
    found.push(...walked.cards);
    order = await listing.order(walked.end);
  }
};

/** Makes the query of a walk: the first `rows` cards from the place where the page begins. */
const walk = <Card extends StatedCard>(
  order: Order<Card>,
  listed: RawBuilder<boolean>,
  { rows, limit }: { rows: number; limit: number },
) => sql<Found>`(
  select *, nth = ${rows} as unfinished
  from (select *, row_number() over (order by ${order.by}) as nth from (${order.walk(listed, rows)}) as walked) as walked
  where matches or nth = ${rows}
  order by nth
  limit ${limit + 1}
)`;

/** Makes the query of a look-up: all cards that an index finds, or none where they are more than `rows`. */
const lookUp = <Card extends StatedCard>(
  { by, columns, joined, isBeyond }: Order<Card>,
  listed: RawBuilder<boolean>,
  { index, rows, limit }: { index: RawBuilder<unknown>; rows: number; limit: number },
) => sql<Found>`(
  with candidates as materialized (
    select cards.id, ${columns}, ${listed} and ${isBeyond} as matches, row_number() over () > ${rows} as unfinished
    from (${index} limit ${rows + 1}) as cards ${joined}
  )
  select *, row_number() over (order by ${by}) as nth
  from candidates
  where unfinished or (matches and (select count(*) from candidates) <= ${rows})
  order by nth
  limit ${limit + 1}
)`;

/**
 * Reads the cards that a walk or a look-up finds, in the list's order.
 * @returns `end`: the card behind which the search resumes, where it reached its limit of rows and the page is not full
 */
const readFound = async <Card extends StatedCard>(
  tx: Reader,
  search: RawBuilder<Found>,
  { workspaceId, order, limit }: { workspaceId: string; order: Order<Card>; limit: number },
) => {
  const query = tx
    .selectFrom(search.as('found'))
    // The offset is an optimizer fence: Postgres reads each card by its key and does not scan the workspace.
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('cards')
          .selectAll()
          .select(sql<string>`xmin::text`.as('row_xmin'))
          .where('workspace_id', '=', workspaceId)
          .whereRef('id', '=', 'found.id')
          .offset(0)
          .as('cards'),
      (join) => join.onTrue(),
    )
    .innerJoin('workstreams', (join) =>
      join.on('workstreams.workspace_id', '=', workspaceId).onRef('workstreams.id', '=', 'cards.workstream_id'),
    )
    .select([...cardColumns, 'cards.row_xmin', 'workstreams.version as workstream_version'])
    .select(['found.matches', 'found.unfinished', ...order.also.map((name) => sql.ref(`found.${name}`).as(name))])
    .orderBy('found.nth');
  const rows = await readPageRows(tx, query, { limit, texts: ['title', 'description'] });
  const cards = rows.filter((row) => row.matches) as unknown as Card[];
  const end = rows.find((row) => row.unfinished) as unknown as Card | undefined;
  return { cards, end: cards.length <= limit ? end : undefined };
};
