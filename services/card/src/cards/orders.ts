import type { CardFilters } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { StatedCard } from './documents.ts';

/** An order of cards from where a page begins. */
export interface Order<Card extends StatedCard> {
  /** The columns that it is in the order of, of what is found. */
  by: RawBuilder<unknown>;
  /** What it knows of a card beside the card's own columns. */
  also: readonly (Exclude<keyof Card, keyof StatedCard> & string)[];
  /** The first `rows` cards: `id`, the columns of `by` and `also`, and as `matches` what `listed` says. */
  walk(listed: RawBuilder<boolean>, rows: number): RawBuilder<unknown>;
  /** The columns of `by` and `also` of rows `cards`, and what these are joined with for them. */
  columns: RawBuilder<unknown>;
  joined: RawBuilder<unknown>;
  /** Whether such a row stands behind the page's beginning. */
  isBeyond: RawBuilder<unknown>;
}

/** A card in the order of a board, with what the cursor after it needs to know of its column. */
export type CardInBoard = StatedCard & { column_position: number; column_version: number };
export type PlaceInBoard = Pick<CardInBoard, 'column_id' | 'column_position' | 'position'>;

const nothing = sql``;

/**
 * The cards of a board by column, then by position; both are unique, so no further key is needed (CONTRACT 5.7). A walk
 * reads each column from its own index, and no further than the page needs.
 * @param after the place of the card behind which a page begins
 */
export const byPlace = (
  { workspaceId, boardId, filters }: { workspaceId: string; boardId: string; filters: CardFilters },
  after: PlaceInBoard | undefined,
): Order<CardInBoard> => {
  const { column_id, column_position, position } = after ?? {};
  const ofBoard = sql`columns.workspace_id = ${workspaceId} and columns.board_id = ${boardId}`;
  const asked = filters.column_id && sql`and columns.id = any (${[filters.column_id].flat()}::uuid[])`;
  const inColumn = after ? sql`(columns.position > ${column_position} or columns.id = ${column_id})` : sql`true`;
  // Uses only the column's own row, so that the index can serve it as a lower bound.
  const inside = after
    ? sql`cards.position > case when columns.id = ${column_id} then ${position}::float8 else '-infinity'::float8 end`
    : sql`true`;
  return {
    by: sql`column_position, position`,
    also: ['column_position', 'column_version'],
    // In order from the start, so that a column is read only when those before it have not filled the page.
    walk: (listed, rows) => sql`
      select walked.*, columns.position as column_position, columns.version as column_version
      from (
        select * from columns where ${ofBoard} and ${inColumn} ${asked ?? nothing} order by position offset 0
      ) as columns
      cross join lateral (
        select cards.id, cards.position, ${listed} as matches
        from cards
        where cards.workspace_id = columns.workspace_id and cards.column_id = columns.id
          and ${served(filters)} and ${inside}
        order by cards.position
        limit ${rows}
      ) as walked
      order by columns.position, walked.position
      limit ${rows}`,
    columns: sql`cards.position, columns.position as column_position, columns.version as column_version`,
    joined: sql`left join columns on ${ofBoard} and columns.id = cards.column_id`,
    isBeyond: sql`${inColumn} and ${inside}`,
  };
};

/** What an index in the order of a board knows of its own (migration 0001). */
const served = ({ archived, completed }: CardFilters) =>
  sql`cards.archived_at ${archived ? sql`is not null` : sql`is null`} ${completed ? sql`and cards.completed_at is not null` : nothing}`;

/** A card in an order of all cards, with its due date; null where that does not count. */
export type CardInTime = StatedCard & { place_due: Date | null };
type PlaceInTime = Pick<CardInTime, 'id' | 'place_due'>;

/** The cards of a workspace by their ids, which are in the order of creation (`newRow`). */
export const byCreation = (
  workspaceId: string,
  direction: 'asc' | 'desc',
  after: PlaceInTime | undefined,
): Order<CardInTime> => {
  const by = sql`id ${sql.raw(direction)}`;
  const isBeyond = after ? sql`cards.id ${direction === 'asc' ? sql`>` : sql`<`} ${after.id}::uuid` : sql`true`;
  const columns = sql`null::timestamptz as place_due`;
  return {
    ...{ by, columns, isBeyond, joined: nothing, also: ['place_due'] },
    walk: (listed, rows) => sql`
      select cards.id, ${columns}, ${listed} as matches
      from cards
      where cards.workspace_id = ${workspaceId} and ${isBeyond}
      order by ${by}
      limit ${rows}`,
  };
};

/**
 * The cards of a workspace by their due dates. Those without one come last, by their ids; the walk passes over the cards
 * among them that have one.
 */
export const byDueDate = (workspaceId: string, after: PlaceInTime | undefined): Order<CardInTime> => {
  const { id, place_due } = after ?? {};
  const dated = place_due
    ? sql`(cards.due_date, cards.id) > (${place_due}::timestamptz, ${id}::uuid)`
    : sql.lit(!after);
  const undated = place_due === null ? sql`cards.id > ${id}::uuid` : sql`true`;
  return {
    by: sql`place_due nulls last, id`,
    also: ['place_due'],
    walk: (listed, rows) => sql`
      with dated as materialized (
        select cards.id, cards.due_date as place_due, ${listed} as matches
        from cards
        where cards.workspace_id = ${workspaceId} and cards.due_date is not null and ${dated}
        order by cards.due_date, cards.id
        limit ${rows}
      )
      select * from dated
      union all (
        select cards.id, null, cards.due_date is null and ${listed}
        from cards
        where cards.workspace_id = ${workspaceId} and ${undated}
        order by cards.id
        limit ${rows} - (select count(*) from dated)
      )`,
    columns: sql`cards.due_date as place_due`,
    joined: nothing,
    isBeyond: sql`(${dated} or (cards.due_date is null and ${undated}))`,
  };
};
