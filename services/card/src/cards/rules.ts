import { conflict, type MoveCardBody } from '@cardinal/contracts';
import { checkRoom } from '../bounds.ts';
import { anchorOf, type Place, placeRefused } from '../positions/rules.ts';

/**
 * Checks that a card can be written (CONTRACT 6.1).
 * @throws CardinalError `conflict` where its board is deleted
 */
export const checkWritable = (card: { board_deleted_at: Date | null }): void => {
  if (card.board_deleted_at) throw conflict('The board of the card is deleted');
};

/**
 * Checks that a column takes cards: it and its board are active (CONTRACT 5.2).
 * @throws CardinalError `conflict` where the column or its board is archived
 */
export const checkTakesCards = (column: { archived_at: Date | null; board_archived_at: Date | null }): void => {
  if (column.board_archived_at) throw conflict('The board is archived');
  if (column.archived_at) throw conflict('The column is archived');
};

/** Reads the place of a move in its column from a body; the start by default (CONTRACT 5.5). */
export const placeOf = (body: MoveCardBody): Place => anchorOf(body, 'card')?.place ?? body.position ?? 'start';

/** The state that a move depends on. */
export interface MoveContext {
  card: { id: string; board_id: string; archived_at: Date | null };
  /** The target column; undefined where it is unknown. */
  column: { id: string; board_id: string; archived_at: Date | null } | undefined;
  /** The target column's board, if it is not the card's; undefined where it is deleted or hidden from the caller. */
  board: { archived_at: Date | null } | undefined;
  /** The card that the move names as its anchor; undefined where it is unknown. */
  anchorCard: { board_id: string; column_id: string } | undefined;
}

/**
 * Checks a move (CONTRACT 5.5). The target is a column of the card's board, or a named column of another board that the
 * caller sees and that takes cards. The anchor is another card of the target column. Neither card nor column is
 * archived. On an archived board, cards can still move within the board.
 * @throws CardinalError `validation_error`, `conflict`
 */
export const checkMove = (body: MoveCardBody, { card, column, board, anchorCard }: MoveContext): void => {
  const anchor = anchorOf(body, 'card');
  if (anchor) {
    if (anchor.id === card.id) throw placeRefused(anchor.field, 'must be another card');
    if (body.column_id === undefined && anchorCard?.board_id !== card.board_id)
      throw placeRefused(anchor.field, 'must be a card of the same board, or the column must be named');
  }
  const isOwnBoard = column?.board_id === card.board_id;
  if (!column || !(isOwnBoard || board)) throw placeRefused('column_id', 'must be a column of a board that you see');
  if (anchor && anchorCard?.column_id !== column.id) throw placeRefused(anchor.field, 'must be a card of that column');
  if (card.archived_at) throw conflict('The card is archived');
  checkTakesCards({ ...column, board_archived_at: (!isOwnBoard && board?.archived_at) || null });
};

/* Assignees and labels of a card are lists of ids in the order of their addition, each id once. */

/**
 * Adds an id to a list. @returns a new list; the same list where it has the id already
 * @throws CardinalError `conflict` where the list is full
 */
export const including = (ids: string[], id: string, what: 'assignees' | 'labels'): string[] => {
  if (ids.includes(id)) return ids;
  checkRoom(`${what} on a card`, ids.length);
  return [...ids, id];
};

/** Removes an id from a list. @returns a new list; the same list where it does not have the id */
export const excluding = (ids: string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : ids;
