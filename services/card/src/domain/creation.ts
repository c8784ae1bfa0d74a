import { conflict } from '@cardinal/contracts';

/** What decides whether a column takes new cards, and where their numbers come from. */
export interface Destination {
  archived_at: Date | null;
  board_archived_at: Date | null;
  default_workstream_id: string | null;
}

/**
 * Checks that a card may be created in a column (specification, "Cards": an active column; api-decisions, "Errors").
 * @throws CardinalError `conflict` where the column or its board is archived
 */
export const checkTakesCards = (column: Destination): void => {
  if (column.board_archived_at) throw conflict('The board is archived');
  if (column.archived_at) throw conflict('The column is archived');
};

/**
 * Where a new card is filed: the workstream that its writer named, which must take it; else the board's default, which
 * gives way to the workspace's where it is archived; else the workspace's (null).
 */
export const filedUnder = (
  named: string | undefined,
  column: Destination,
): { workstream_id: string | null; fall_back: boolean } =>
  named === undefined
    ? { workstream_id: column.default_workstream_id, fall_back: true }
    : { workstream_id: named, fall_back: false };
