import { readPageRows } from '@cardinal/db';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';
import type { StatedCard } from './documents.ts';
import { cardColumns } from './queries.ts';

/** A card found on the way. One that does not match only shows where the walk has got to. */
export interface Found {
  id: string;
  matches: boolean;
  /** The way was left here, unfinished. */
  unfinished: boolean;
  /** Its place among those found, in the list's order. */
  nth: number;
}

/** A statement that finds cards on one way, looking at so many rows at most. */
type Way = (rows: number) => RawBuilder<Found>;

/** How a page of a list of cards is searched for. */
export interface Search {
  workspaceId: string;
  /** How many cards the page still lacks; 0 where it is full and only needs to know whether there are more. */
  limit: number;
  /** Goes through all cards in the list's order. */
  walk: Way;
  /** Look up all matches in an index, and sort them. */
  lookUps: Way[];
  /** Columns of what is found that are read too, beside those of the card. */
  also?: readonly string[];
}

/** What was found of a page. */
export interface PartOfPage<Card> {
  /** In the list's order; one more than the limit where there are more. */
  cards: Card[];
  /** The card after which to look on, as the page is not full and the list not at its end. */
  end: Card | undefined;
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

const longest = 5_000;

/**
 * Begins a page of a list of cards.
 *
 * Two ways lead to a page. Walking the list in its order is fast where many cards match; looking up all matches in an
 * index and sorting them is fast where few do. Statistics do not show reliably which is shorter (ADR 0017). So both are
 * tried in turn, each as far as the same number of rows, then eight times as far, until one finishes: the cost stays in
 * proportion to that of the better way. Where none does within `maxRows`, only the walk goes on (`continueSearch`).
 */
export const beginSearch = async <Card extends StatedCard>(
  read: Read,
  search: Search,
  { firstRows = 2 * (search.limit + 1), maxRows = longest }: Reach = {},
): Promise<PartOfPage<Card>> => {
  for (let rows = firstRows; ; rows *= 8) {
    const reach = Math.min(rows, maxRows);
    const walked = await read((tx) => readAlong<Card>(tx, search, search.walk(reach)));
    if (!walked.end) return walked;
    for (const lookUp of search.lookUps) {
      const found = await read((tx) => readAlong<Card>(tx, search, lookUp(reach)));
      if (!found.end) return found;
    }
    if (rows >= maxRows) return walked;
  }
};

/** Continues a page after the card where the part before ended, for as many rows as one statement may look at. */
export const continueSearch = <Card extends StatedCard>(
  read: Read,
  search: Search,
  { maxRows = longest }: Reach = {},
): Promise<PartOfPage<Card>> => read((tx) => readAlong<Card>(tx, search, search.walk(maxRows)));

const readAlong = async <Card extends StatedCard>(
  tx: Reader,
  { workspaceId, limit, also = [] }: Search,
  found: RawBuilder<Found>,
): Promise<PartOfPage<Card>> => {
  const query = tx
    .selectFrom(found.as('found'))
    .innerJoin('cards', (join) => join.onRef('cards.id', '=', 'found.id').on('cards.workspace_id', '=', workspaceId))
    .innerJoin('workstreams', (join) =>
      join
        .onRef('workstreams.workspace_id', '=', 'cards.workspace_id')
        .onRef('workstreams.id', '=', 'cards.workstream_id'),
    )
    .select([...cardColumns, 'found.matches', 'found.unfinished'])
    .select([sql<string>`cards.xmin::text`.as('row_xmin'), 'workstreams.version as workstream_version'])
    .select(also.map((column) => sql.ref(`found.${column}`).as(column)))
    .orderBy('found.nth');
  const rows = await readPageRows(tx, query, { limit, texts: ['title', 'description'] });
  const cards = rows.filter((row) => row.matches) as unknown as Card[];
  const end = rows.find((row) => row.unfinished) as unknown as Card | undefined;
  return { cards, end: cards.length <= limit ? end : undefined };
};
