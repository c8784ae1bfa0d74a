import type { PreparedStatement } from '@cardinal/db';
import type { Reader } from './database.ts';

/**
 * Runs a statement once for all who ask: they are its $1, a JSON array in which each has its `place`. Of an SQL array the
 * planner would count the elements, and plan anew for each number of them.
 * @returns one row for each, in its position; undefined where the statement has none for it
 */
export const rowsFor = async <Row extends { place: number }>(
  tx: Reader,
  statement: PreparedStatement<Row>,
  asked: readonly object[],
): Promise<(Row | undefined)[]> => {
  const rows = await statement.run(tx, [JSON.stringify(asked.map((one, index) => ({ ...one, place: index + 1 })))]);
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return asked.map((_, index) => byPlace.get(index + 1));
};
