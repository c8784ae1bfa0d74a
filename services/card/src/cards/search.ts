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

/** A page of a list of cards that somebody asks for. */
export interface Listing<Card extends StatedCard> extends Scope {
  filters: CardFilters;
  /** How many cards it takes at most. */
  limit: number;
  /** The order from where the page begins; from behind `passed`, as that stands by then, where the search goes on there. */
  order(passed?: Card): Order<Card> | Promise<Order<Card>>;
}

/** How many cards statements look at. */
export interface Reach {
  /** The first of them: just beyond a page, which is all that a list takes whose cards match. */
  firstRows?: number;
  /** Bounds a search to a fraction of a second, for any titles and any `q`. */
  maxRows?: number;
}

/** Runs a statement when its turn comes. */
export type Read = <T>(query: (tx: Reader) => Promise<T>) => Promise<T>;

/**
 * Turns of searches, which look at many cards that they do not list. One statement at a time per workspace, its users in
 * turn, leaves the database free for other workspaces (ADR 0048).
 * @returns how the statements of one search are run: one that has begun is finished before another one of its user begins
 */
export const searchTurns = ({ db }: Pick<ServiceContext, 'db'>, busy: string) => {
  const turns = createFairSemaphore({ atOnce: 3, perWorkspace: 1, busy });
  return (): Read => {
    let first = false;
    return (query) => {
      const turn = turns.run(() => db.read(query), { first });
      first = true;
      return turn;
    };
  };
};

/**
 * A card found on the way, and its place among those found. One that does not match only shows that the way was left there,
 * unfinished.
 */
type Found = { id: string; matches: boolean; unfinished: boolean; nth: number };

const longest = 5_000;

/**
 * Reads the cards of a page of any list, and one more where there are more.
 *
 * Two ways lead to a page. Walking the list in its order is fast where many cards match; looking up all matches in an
 * index and sorting them is fast where few do. Statistics do not show reliably which is shorter (ADR 0017). So both are
 * tried in turn, each as far as the same number of rows, then eight times as far, until one finishes: the cost stays in
 * proportion to that of the better way. Where none does within `maxRows`, only the walk goes on, in parts.
 */
export const readListed = async <Card extends StatedCard>(
  read: Read,
  listing: Listing<Card>,
  { firstRows = 2 * (listing.limit + 1), maxRows = longest }: Reach = {},
): Promise<Card[]> => {
  const { workspaceId, filters } = listing;
  const listed = isListed(listing, filters);
  let indexes = indexesFor(listing, filters);
  let order = await listing.order();
  const found: Card[] = [];
  for (let rows = Math.min(firstRows, maxRows); ; rows = Math.min(rows * 8, maxRows)) {
    const limit = listing.limit - found.length;
    const along = (way: RawBuilder<Found>) => read((tx) => readAlong(tx, way, { workspaceId, order, limit }));
    const walked = await along(walk(order, listed, { rows, limit }));
    if (!walked.end) return [...found, ...walked.cards];
    for (const index of indexes) {
      const all = await along(lookUp(order, listed, { index, rows, limit }));
      if (!all.end) return all.cards;
    }
    if (rows < maxRows) continue;
    indexes = [];
    found.push(...walked.cards);
    order = await listing.order(walked.end);
  }
};

/** The first `rows` cards from where the page begins. */
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

/** Every card that an index finds, unless there are more than `rows`. */
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
 * Reads the cards that a way finds, in the list's order, and as `end` the one behind which to look on where the page is not
 * full and the way was left unfinished.
 */
const readAlong = async <Card extends StatedCard>(
  tx: Reader,
  way: RawBuilder<Found>,
  { workspaceId, order, limit }: { workspaceId: string; order: Order<Card>; limit: number },
) => {
  const query = tx
    .selectFrom(way.as('found'))
    // Each by its key: the offset keeps Postgres from passing all of the workspace.
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
