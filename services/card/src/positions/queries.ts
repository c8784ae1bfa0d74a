import { readPageRows } from '@cardinal/db';
import { sortKey } from '@cardinal/runtime';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { columns, type Reader, type RowOf, type Tables, type Tx } from '../database.ts';
import { between, type Gap, land, type Place } from './rules.ts';

/** An ordered list: the cards of a column, the columns of a board or the subtasks of a card. */
export interface List {
  of: 'cards' | 'columns' | 'subtasks';
  workspaceId: string;
  /** The column, the board or the card. */
  parentId: string;
}

const parentOf = { cards: 'column_id', columns: 'board_id', subtasks: 'card_id' } as const;

const members = ({ of, workspaceId, parentId }: List) =>
  sql`${sql.table(of)} where workspace_id = ${workspaceId} and ${sql.ref(parentOf[of])} = ${parentId}`;

/** Rebalances the cards of a column, so that it has room on top again. Locks the column. */
export async function makeRoomOnTop(tx: Tx, workspaceId: string, columnId: string): Promise<void> {
  await columns.lock(tx, workspaceId, columnId);
  await rebalance(tx, { of: 'cards', workspaceId, parentId: columnId });
}

/** Lowers a column's `top` to the position of a card above it. No card of a column is above `top`. */
async function lowerTop(tx: Tx, { of, workspaceId, parentId }: List, position: number): Promise<void> {
  if (of !== 'cards') return;
  await sql`
    update columns set top = least(top, ${position})
    where workspace_id = ${workspaceId} and id = ${parentId} and top > ${position}`.execute(tx);
}

/**
 * Finds the position of an item that moves to a place in a list (CONTRACT 5.5), and rebalances the list where the place
 * has no room. Lock the list's parent first.
 * @returns a position that no other item of the list has; the item's current position where it is in that place
 *   already; undefined where the place names an item that is not, or no longer, in the list
 */
export async function positionAt(tx: Tx, list: List, place: Place, item: Item): Promise<number | undefined> {
  const position = await findPosition(tx, list, place, item);
  if (position !== undefined) await lowerTop(tx, list, position);
  return position;
}

/**
 * Finds the position behind all items of a list. Lock the list's parent first.
 * @param id a new item, which is not in the list
 */
export const lastPosition = (tx: Tx, list: List, id: string) => positionAtEnd(tx, list, 'end', id);
/**
 * Finds the position before all items of a list. Lock the list's parent first.
 * @param id an item that is not in the list
 */
export const firstPosition = (tx: Tx, list: List, id: string) => positionAtEnd(tx, list, 'start', id);
const positionAtEnd = async (tx: Tx, list: List, end: 'start' | 'end', id: string): Promise<number> =>
  (await positionAt(tx, list, end, { id, position: undefined })) ?? impossible(list.parentId);

/** An item that moves to a list, with its position where it is in that list already. */
interface Item {
  id: string;
  position: number | undefined;
}

async function findPosition(tx: Tx, list: List, place: Place, item: Item): Promise<number | undefined> {
  const target = typeof place === 'number' ? await holderOf(tx, list, place, item.id) : place;
  // The addition makes negative zero zero, as Postgres does.
  if (typeof target === 'number') return target + 0;

  const gap = await gapAt(tx, list, target, item.id);
  if (!gap) return undefined;
  const landing = land(gap, item.position);
  if (landing !== undefined) return landing;

  await rebalance(tx, list);
  const widened = await gapAt(tx, list, target, item.id);
  const position = widened && (between(widened) ?? impossible(list.parentId));
  // The new position can equal the item's position before the rebalancing. Callers would take the item for unmoved.
  return widened && position === item.position ? between({ ...widened, below: item.position ?? null }) : position;
}

/** Finds the place before the item that has a position. @returns the position itself where no item has it */
async function holderOf(tx: Tx, list: List, position: number, itemId: string): Promise<{ before: string } | number> {
  const found = await sql<{ id: string }>`
    select id from ${members(list)} and position = ${position} and id <> ${itemId}`.execute(tx);
  return found.rows[0] ? { before: found.rows[0].id } : position;
}

/**
 * Finds the neighbours of a place among the other items of a list.
 * @returns undefined where the place's anchor is not in it
 */
async function gapAt(tx: Tx, list: List, place: Exclude<Place, number>, itemId: string): Promise<Gap | undefined> {
  const others = sql`${members(list)} and id <> ${itemId}`;
  const read = async (what: RawBuilder<unknown>) =>
    (await sql<{ position: number | null }>`select ${what}`.execute(tx)).rows[0]?.position;
  const below = async (above: number) =>
    (await read(sql`min(position) as position from ${others} and position > ${above}`)) ?? null;
  const above = async (below: number) =>
    (await read(sql`max(position) as position from ${others} and position < ${below}`)) ?? null;
  if (place === 'start') return { above: null, below: await below(-Infinity) };
  if (place === 'end') return { above: await above(Infinity), below: null };
  const anchor = await read(
    sql`position from ${members(list)} and id = ${'before' in place ? place.before : place.after}`,
  );
  if (anchor == null) return undefined;
  return 'before' in place
    ? { above: await above(anchor), below: anchor }
    : { above: anchor, below: await below(anchor) };
}

/**
 * Gives the items of a list the positions 1, 2, 3, … in their order. No item moves relative to another, so versions and
 * times of updates stay (CONTRACT 3.3).
 */
async function rebalance(tx: Tx, list: List): Promise<void> {
  // Rows are locked in the order of their ids, so that this statement and writers of single items cannot deadlock.
  await sql`select count(*) from (select id from ${members(list)} order by id for update) as locked`.execute(tx);
  await sql`
    update ${sql.table(list.of)} as item set position = ranked.place
    from (select id, row_number() over (order by position) as place from ${members(list)}) as ranked
    where item.workspace_id = ${list.workspaceId} and item.id = ranked.id`.execute(tx);
  if (list.of === 'cards') {
    await sql`update columns set top = 1 where workspace_id = ${list.workspaceId} and id = ${list.parentId}`.execute(
      tx,
    );
  }
}

/**
 * Throws for a list without a free position. A locked list has fewer items than there are doubles, so this is a defect.
 */
function impossible(where: string): never {
  throw new Error(`No position can be found in ${where}`);
}

/** The sort keys of a cursor in a list by position. The version finds the row again after a rebalancing. */
export const positionKeys = [sortKey.id, sortKey.position, sortKey.version] as const;

/** The position that a row had in a version. */
export type RowPosition = [id: string, position: number, version: number];

/** Takes the sort keys of a cursor from a row. */
export const positionOf = (row: { id: string; position: number; version: number }): RowPosition => [
  row.id,
  row.position,
  row.version,
];

/**
 * Reads a page of a list by position. A rebalancing changes positions but not versions (CONTRACT 3.3). So where the
 * cursor's row still has the version in the cursor, the page begins behind its current position. Where the row was
 * written since, it may have moved, and the page begins behind the position in the cursor: every row that stayed is
 * listed once. `openLists` does the same for cards.
 * @param all the whole list, because a forged cursor can name a row of another one
 * @param page the limit, and the keys of the last row of the page before
 * @param listed the part of the list that the page shows
 * @returns the rows, and one more where there are more
 */
export const readPageByPosition = async <Table extends 'columns' | 'subtasks'>(
  tx: Reader,
  all: SelectQueryBuilder<Tables, Table, RowOf<Table>>,
  { limit, after }: { limit: number; after: RowPosition | undefined },
  listed = all,
): Promise<RowOf<Table>[]> => {
  if (!after) return readPageRows(tx, listed, { by: ['position'], limit });
  const [id, position, version] = after;
  const sameVersion = all.where(sql<boolean>`id = ${id}::uuid and version = ${version}::integer`);
  const [unmoved] = (await sameVersion.execute()) as unknown as { position: number }[];
  return readPageRows(tx, listed, { by: ['position'], limit, after: [unmoved?.position ?? position] });
};
