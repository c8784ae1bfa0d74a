import type { CardFilters } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { StatedCard } from './documents.ts';
import { indexesFor, matches } from './filters.ts';
import { beginSearch, continueSearch, type Found, type Reach, type Read, type Search } from './search.ts';

/** Right after this card of this column a page begins. */
export interface PlaceInBoard {
  columnId: string;
  columnPosition: number;
  cardPosition: number;
}

/** A card with what the cursor after it needs to know of its column. */
export type ListedCard = StatedCard & { column_position: number; column_version: number };

interface Listing {
  workspaceId: string;
  boardId: string;
  filters: CardFilters;
  after: PlaceInBoard | undefined;
  limit: number;
}

/**
 * Begins a page of cards of a board by column, then by position; both are unique, so no further key is needed
 * (CONTRACT 5.7).
 * @param read runs each statement when its turn comes
 */
export const beginPage = (read: Read, listing: Listing, reach?: Reach) =>
  beginSearch<ListedCard>(read, searchOf(listing), reach);

/** Continues a page after the card where the part before ended, for as many rows as one statement may look at. */
export const walkOn = (read: Read, listing: Listing, reach?: Reach) =>
  continueSearch<ListedCard>(read, searchOf(listing), reach);

const searchOf = (listing: Listing): Search => {
  const { workspaceId, boardId, filters, limit } = listing;
  return {
    ...{ workspaceId, limit, also: ['column_position', 'column_version'] },
    walk: (rows) => walk(listing, rows),
    lookUps: indexesFor({ workspaceId, boards: [boardId] }, filters).map(
      (indexed) => (rows) => lookUp(listing, indexed, rows),
    ),
  };
};

/**
 * The first `rows` cards from where the page begins; each column from its own index, and no further than the page needs.
 */
const walk = ({ workspaceId, boardId, filters, after, limit }: Listing, rows: number) => sql<Found>`(
  select *, nth = ${rows} as unfinished
  from (
    select walked.*, columns.position as column_position, columns.version as column_version,
      row_number() over (order by columns.position, walked.position) as nth
    -- In order from the start, so that a column is read only when those before it have not filled the page.
    from (
      select * from columns
      where workspace_id = ${workspaceId} and board_id = ${boardId}
        ${inColumns(filters)}
        ${after ? sql`and (position > ${after.columnPosition} or id = ${after.columnId})` : sql``}
      order by position
      offset 0
    ) as columns
    cross join lateral (
      select cards.id, cards.position, ${matches(filters)} as matches
      from cards
      where cards.workspace_id = columns.workspace_id and cards.column_id = columns.id
        and ${served(filters)}
        ${after ? sql`and cards.position > ${firstPosition(after)}` : sql``}
      order by cards.position
      limit ${rows}
    ) as walked
    order by columns.position, walked.position
    limit ${rows}
  ) as walked
  where matches or nth = ${rows}
  order by nth
  limit ${limit + 1}
)`;

const inColumns = ({ column_id }: CardFilters) =>
  column_id === undefined ? sql`` : sql`and columns.id = any (${[column_id].flat()}::uuid[])`;

/** What an index in the list's order knows of its own (migration 0001). */
const served = ({ archived, completed }: CardFilters) =>
  sql`cards.archived_at ${archived ? sql`is not null` : sql`is null`} ${completed ? sql`and cards.completed_at is not null` : sql``}`;

/** Uses only the column's own row, so that the index can serve it as a lower bound. */
const firstPosition = ({ columnId, cardPosition }: PlaceInBoard) =>
  sql`case when columns.id = ${columnId} then ${cardPosition}::float8 else '-infinity'::float8 end`;

/** Every card that an index finds, unless there are more than `rows`. */
const lookUp = (
  { workspaceId, boardId, filters, after, limit }: Listing,
  indexed: RawBuilder<unknown>,
  rows: number,
) => sql<Found>`(
    with candidates as materialized (
      select id, column_id, position, ${matches(filters)} as matches, row_number() over () > ${rows} as unfinished
      from (${indexed} limit ${rows + 1}) as cards
    )
    select candidates.id, not unfinished as matches, unfinished,
      columns.position as column_position, columns.version as column_version,
      row_number() over (order by columns.position, candidates.position) as nth
    from candidates
    left join columns on columns.workspace_id = ${workspaceId} and columns.board_id = ${boardId}
      and columns.id = candidates.column_id
    where unfinished or (
      matches and columns.id is not null and (select count(*) from candidates) <= ${rows}
      ${inColumns(filters)}
      ${after ? sql`and (columns.position > ${after.columnPosition} or columns.id = ${after.columnId})` : sql``}
      ${after ? sql`and candidates.position > ${firstPosition(after)}` : sql``}
    )
    order by nth
    limit ${limit + 1}
  )`;
