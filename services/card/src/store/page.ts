import { CardinalError } from '@cardinal/contracts';
import { type CursorValue, decodeCursor, encodeCursor } from '@cardinal/db';
import type { z } from 'zod';

/** What identifies a list, so that a cursor of one is refused by every other: its name, its workspace, its filters. */
export type ListScope = readonly [name: string, workspaceId: string, ...filters: unknown[]];

/**
 * Reads where a list goes on.
 * @param values what the list puts into its cursors
 * @throws CardinalError `invalid_request` for a broken cursor or one of another list
 */
export function readCursor<Values extends z.ZodType>(
  scope: ListScope,
  cursor: string | undefined,
  values: Values,
): z.output<Values> | undefined {
  if (cursor === undefined) return undefined;
  const parsed = values.safeParse(decodeCursor(JSON.stringify(scope), cursor));
  // Cursors are not signed: one that somebody made up may hold anything.
  if (!parsed.success) throw new CardinalError('invalid_request', 'The cursor is not one of this list');
  return parsed.data;
}

/**
 * Cuts one page out of rows that were read with one more than its limit.
 * @param cursorOf what the cursor after a row holds
 */
export const pageOf = <Row, Item>(
  scope: ListScope,
  rows: Row[],
  { limit, present, cursorOf }: { limit: number; present: (row: Row) => Item; cursorOf: (row: Row) => CursorValue[] },
): { items: Item[]; next_cursor: string | null } => {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(present),
    next_cursor: last === undefined ? null : encodeCursor(JSON.stringify(scope), cursorOf(last)),
  };
};
