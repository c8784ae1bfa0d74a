import { readPageRows } from '@cardinal/db';
import { sortKey } from '@cardinal/runtime';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Reader, RowOf, Tables } from '../database.ts';

/** What a cursor keeps of a row that has a position: enough to find it again after a rebalancing. */
export const positionKeys = [sortKey.id, sortKey.position, sortKey.count] as const;

/** Where a row stood when its version was this. */
export type RowPosition = [id: string, position: number, version: number];

/** What a cursor keeps of a row. */
export const positionOf = (row: { id: string; position: number; version: number }): RowPosition => [
  row.id,
  row.position,
  row.version,
];

/**
 * Reads a page of a list in the order of its positions. A rebalancing gives new positions to rows that nobody moved and
 * leaves their versions (api-decisions, "Cards"), so one of the same version stands where it is now. One that was written
 * since may have been moved: the list goes on from where it stood then, and every row that stayed is listed once. Of cards
 * `open-lists.ts` says the same.
 * @param all the whole list: somebody may make up a cursor that names a row of another one
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
  const same = all.where(sql<boolean>`id = ${id} and version = ${version}`);
  const [unmoved] = (await same.execute()) as unknown as { position: number }[];
  return readPageRows(tx, listed, { by: ['position'], limit, after: [unmoved?.position ?? position] });
};
