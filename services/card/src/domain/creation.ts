import { conflict } from '@cardinal/contracts';

/** What decides whether a column takes new cards. */
export interface Destination {
  archived_at: Date | null;
  board_archived_at: Date | null;
}

/**
 * Checks that a card may be created in a column (specification, "Cards": an active column; api-decisions, "Errors").
 * @throws CardinalError `conflict` where the column or its board is archived
 */
export const checkTakesCards = (column: Destination): void => {
  if (column.board_archived_at) throw conflict('The board is archived');
  if (column.archived_at) throw conflict('The column is archived');
};
