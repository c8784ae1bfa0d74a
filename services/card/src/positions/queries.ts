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

/** Spreads the cards of a column, so that there is room above them again. */
export async function makeRoomOnTop(tx: Tx, workspaceId: string, columnId: string): Promise<void> {
  await columns.lock(tx, workspaceId, columnId);
  await rebalance(tx, { of: 'cards', workspaceId, parentId: columnId });
}

/** Keeps the column's promise that no card stands above its top: one goes to `position` now. */
async function lowerTop(tx: Tx, { of, workspaceId, parentId }: List, position: number): Promise<void> {
  if (of !== 'cards') return;
  await sql`
    update columns set top = least(top, ${position})
    where workspace_id = ${workspaceId} and id = ${parentId} and top > ${position}`.execute(tx);
}

/**
 * Finds the position in a list for an item that goes to a place in it; makes room where there is none. The list's
 * parent must be locked.
 * @returns a position that no other item of the list holds; the item's own where it stands in that place already;
 *   undefined where what the place names is not in the list, or has just left it
 */
export async function positionAt(tx: Tx, list: List, place: Place, item: Item): Promise<number | undefined> {
  const position = await findPosition(tx, list, place, item);
  if (position !== undefined) await lowerTop(tx, list, position);
  return position;
}

/** The position behind everything, or above everything, in a list whose parent is locked, for what is not in it. */
export const lastPosition = (tx: Tx, list: List, id: string) => positionAtEnd(tx, list, 'end', id);
export const firstPosition = (tx: Tx, list: List, id: string) => positionAtEnd(tx, list, 'start', id);
const positionAtEnd = async (tx: Tx, list: List, end: 'start' | 'end', id: string): Promise<number> =>
  (await positionAt(tx, list, end, { id, position: undefined })) ?? impossible(list.parentId);

/** An item that is placed in a list, with its position if it is in that list already. */
interface Item {
  id: string;
  position: number | undefined;
}

async function findPosition(tx: Tx, list: List, place: Place, item: Item): Promise<number | undefined> {
  const target = typeof place === 'number' ? await holderOf(tx, list, place, item.id) : place;
  // Adding zero makes zero of a negative zero, as Postgres stores it.
  if (typeof target === 'number') return target + 0;

  const gap = await gapAt(tx, list, target, item.id);
  if (!gap) return undefined;
  const landing = land(gap, item.position);
  if (landing !== undefined) return landing;

  await rebalance(tx, list);
  const widened = await gapAt(tx, list, target, item.id);
  const position = widened && (between(widened) ?? impossible(list.parentId));
  // By chance this is the number that the item had before the rebalancing: a comparison would take it for unmoved.
  return widened && position === item.position ? between({ ...widened, below: item.position ?? null }) : position;
}

/** The place just before the item that holds a position; the position itself where it is free. */
async function holderOf(tx: Tx, list: List, position: number, itemId: string): Promise<{ before: string } | number> {
  const found = await sql<{ id: string }>`
    select id from ${members(list)} and position = ${position} and id <> ${itemId}`.execute(tx);
  return found.rows[0] ? { before: found.rows[0].id } : position;
}

/** The neighbours that an item gets in a place, the item itself not counted. */
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
 * Spreads a list over the positions 1, 2, 3, … in its order. No item moves relative to another, so versions and update
 * times stay (CONTRACT 3.3).
 */
async function rebalance(tx: Tx, list: List): Promise<void> {
  // Writers of single items hold no lock that this one waits for in a circle, as long as the rows are locked by id.
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

/** A list holds fewer things than there are doubles, and its parent is locked: only a fault of ours leads here. */
function impossible(where: string): never {
  throw new Error(`No position can be found in ${where}`);
}

/** What a cursor keeps of a row that has a position: enough to find it again after a rebalancing. */
export const positionKeys = [sortKey.id, sortKey.position, sortKey.version] as const;

/** Where a row stood when its version was this. */
export type RowPosition = [id: string, position: number, version: number];

/** What a cursor keeps of a row. */
export const positionOf = (row: { id: string; position: number; version: number }): RowPosition => [
  row.id,
  row.position,
  row.version,
];

/**
 * Reads a page of a list in the order of its positions. A rebalancing gives new positions to rows that were not moved
 * and keeps their versions (CONTRACT 3.3), so one of the same version stands where it is now. One that was
 * written since may have been moved: the list goes on from where it stood then, and every row that stayed is listed
 * once. `openLists` does the same for cards.
 * @param all the whole list: a forged cursor may name a row of another one
 * @param page limit, and the last row of the page before
 * @param listed the part of the list that is shown
 */
export const readPageByPosition = async <Table extends 'columns' | 'subtasks'>(
  tx: Reader,
  all: SelectQueryBuilder<Tables, Table, RowOf<Table>>,
  { limit, after }: { limit: number; after: RowPosition | undefined },
  listed = all,
): Promise<RowOf<Table>[]> => {
  if (!after) return readPageRows(tx, listed, { by: ['position'], limit });
  const [id, position, version] = after;
  const same = all.where(sql<boolean>`id = ${id}::uuid and version = ${version}::integer`);
  const [unmoved] = (await same.execute()) as unknown as { position: number }[];
  return readPageRows(tx, listed, { by: ['position'], limit, after: [unmoved?.position ?? position] });
};
