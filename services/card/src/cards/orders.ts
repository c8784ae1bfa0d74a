import type { CardFilters } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { StatedCard } from './documents.ts';
import { hasUpdate, isArchived } from './filters.ts';

/** An order of cards, from the place where a page begins. */
export interface Order<Card extends StatedCard> {
  /** The sort columns of the cards found. */
  by: RawBuilder<unknown>;
  /** The columns of the order that are not columns of a card. */
  also: readonly (Exclude<keyof Card, keyof StatedCard> & string)[];
  /**
   * Makes the query of the first `rows` cards: `id`, the columns of `by` and `also`, and `matches`, the value of
   * `listed`.
   */
  walk(listed: RawBuilder<boolean>, rows: number): RawBuilder<unknown>;
  /** The columns of `by` and `also`, for rows `cards`. */
  columns: RawBuilder<unknown>;
  /** The join that `columns` needs. */
  joined: RawBuilder<unknown>;
  /** The condition that a row `cards` is behind the place where the page begins. */
  isBeyond: RawBuilder<unknown>;
}

/** A card in the order of a board, with the fields of its column that a cursor needs. */
export type CardInBoard = StatedCard & { column_position: number; column_version: number };
export type PlaceInBoard = Pick<CardInBoard, 'column_id' | 'column_position' | 'position'>;

const nothing = sql``;

/**
 * Makes the order of a board: by column, then by position (CONTRACT 5.7). Both are unique, so no other key is needed. A
 * walk reads each column from its index, and only as far as the page needs.
 * @param after the place behind which the page begins; undefined for the first page
 */
export const byPlace = (
  { workspaceId, boardId, filters }: { workspaceId: string; boardId: string; filters: CardFilters },
  after: PlaceInBoard | undefined,
): Order<CardInBoard> => {
  const { column_id, column_position, position } = after ?? {};
  const ofBoard = sql`columns.workspace_id = ${workspaceId} and columns.board_id = ${boardId}`;
  const asked = filters.column_id && sql`and columns.id = any (${[filters.column_id].flat()}::uuid[])`;
  const inColumn = after ? sql`(columns.position > ${column_position} or columns.id = ${column_id})` : sql`true`;
  // The bound uses the column's row alone, so that the index can start there.
  const inside = after
    ? sql`cards.position > case when columns.id = ${column_id} then ${position}::float8 else '-infinity'::float8 end`
    : sql`true`;
  return {
    by: sql`column_position, position`,
    also: ['column_position', 'column_version'],
    // The subquery sorts columns first, so that Postgres reads a column only where the columns before it did not fill
    // the page.
    walk: (listed, rows) => sql`
      select walked.*, columns.position as column_position, columns.version as column_version
      from (
        select * from columns where ${ofBoard} and ${inColumn} ${asked ?? nothing} order by position offset 0
      ) as columns
      cross join lateral (
        select cards.id, cards.position, ${listed} as matches
        from cards
        where cards.workspace_id = columns.workspace_id and cards.column_id = columns.id
          and ${indexed(filters)} and ${inside}
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

/** Makes the conditions that the indexes in board order cover (migration 0001). */
const indexed = ({ archived, completed }: CardFilters) =>
  sql`${isArchived(archived)} ${completed ? sql`and cards.completed_at is not null` : nothing}`;

/** A card in an order of all cards, with the time that it is sorted by; null without one, and in the order of creation. */
export type CardInTime = StatedCard & { place_time: Date | null };
type PlaceInTime = Pick<CardInTime, 'id' | 'place_time'>;

type Direction = 'asc' | 'desc';
const behind = (direction: Direction) => (direction === 'asc' ? sql`>` : sql`<`);

/**
 * Makes the order of a workspace's cards by id, which is the order of creation (`newRow`).
 * @param after the card behind which the page begins; undefined for the first page
 */
export const byCreation = (
  workspaceId: string,
  direction: Direction,
  after: PlaceInTime | undefined,
): Order<CardInTime> => {
  const by = sql`id ${sql.raw(direction)}`;
  const isBeyond = after ? sql`cards.id ${behind(direction)} ${after.id}::uuid` : sql`true`;
  const columns = sql`null::timestamptz as place_time`;
  return {
    by,
    columns,
    isBeyond,
    joined: nothing,
    also: ['place_time'],
    walk: (listed, rows) => sql`
      select cards.id, ${columns}, ${listed} as matches
      from cards
      where cards.workspace_id = ${workspaceId} and ${isBeyond}
      order by ${by}
      limit ${rows}`,
  };
};

/**
 * Makes the order of a workspace's cards by their last change, then by id.
 * @param after the card behind which the page begins; undefined for the first page
 */
export const byUpdate = (
  workspaceId: string,
  direction: Direction,
  after: PlaceInTime | undefined,
): Order<CardInTime> => {
  const to = sql.raw(direction);
  const isBeyond = after
    ? sql`(cards.updated_at, cards.id) ${behind(direction)} (${after.place_time}::timestamptz, ${after.id}::uuid)`
    : sql`true`;
  const columns = sql`cards.updated_at as place_time`;
  return {
    by: sql`place_time ${to}, id ${to}`,
    columns,
    isBeyond,
    joined: nothing,
    also: ['place_time'],
    walk: (listed, rows) => sql`
      select cards.id, ${columns}, ${listed} as matches
      from cards
      where cards.workspace_id = ${workspaceId} and ${hasUpdate} and ${isBeyond}
      order by cards.updated_at ${to}, cards.id ${to}
      limit ${rows}`,
  };
};

/**
 * Makes the order of a workspace's cards by due date. Cards without a due date come last, by id; for these, the walk
 * reads cards by id and skips those with a due date.
 * @param after the card behind which the page begins; undefined for the first page
 */
export const byDueDate = (workspaceId: string, after: PlaceInTime | undefined): Order<CardInTime> => {
  const { id, place_time } = after ?? {};
  const dated = place_time
    ? sql`(cards.due_date, cards.id) > (${place_time}::timestamptz, ${id}::uuid)`
    : sql.lit(!after);
  const undated = place_time === null ? sql`cards.id > ${id}::uuid` : sql`true`;
  return {
    by: sql`place_time nulls last, id`,
    also: ['place_time'],
    walk: (listed, rows) => sql`
      with dated as materialized (
        select cards.id, cards.due_date as place_time, ${listed} as matches
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
    columns: sql`cards.due_date as place_time`,
    joined: nothing,
    isBeyond: sql`(${dated} or (cards.due_date is null and ${undated}))`,
  };
};
