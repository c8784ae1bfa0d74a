import { conflict, type MoveCardBody } from '@cardinal/contracts';
import { checkRoom } from '../bounds.ts';
import { anchorOf, type Place, placeRefused } from '../positions/rules.ts';

/**
 * Checks that a card takes writes at all (CONTRACT 6.1).
 * @throws CardinalError `conflict` where its board is deleted
 */
export const checkWritable = (card: { board_deleted_at: Date | null }): void => {
  if (card.board_deleted_at) throw conflict('The board of the card is deleted');
};

/**
 * Checks that a card may be created in a column (CONTRACT 5.2: an active column).
 * @throws CardinalError `conflict` where the column or its board is archived
 */
export const checkTakesCards = (column: { archived_at: Date | null; board_archived_at: Date | null }): void => {
  if (column.board_archived_at) throw conflict('The board is archived');
  if (column.archived_at) throw conflict('The column is archived');
};

/** Where in its column a move goes; the start where it does not say (CONTRACT 5.5). */
export const placeOf = (body: MoveCardBody): Place => anchorOf(body, 'card')?.place ?? body.position ?? 'start';

/** What a move meets. */
export interface MoveContext {
  card: { id: string; board_id: string; archived_at: Date | null };
  /** The column it goes to; undefined where there is none of that id. */
  column: { id: string; board_id: string; archived_at: Date | null } | undefined;
  /** The column's board where it is another than the card's; undefined where the caller does not see it, or it is deleted. */
  board: { archived_at: Date | null } | undefined;
  /** The card it names; undefined where there is none of that id. */
  anchorCard: { board_id: string; column_id: string } | undefined;
}

/**
 * Checks that a card may go where a move says: to a column of its own board, or to a named one of another board that the
 * caller sees and that takes cards (CONTRACT 5.5); the anchor another card of that column, neither
 * card nor column archived (CONTRACT 5.5). On its own board, if that is archived, a card stays
 * movable.
 * @throws CardinalError `validation_error` or `conflict`
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

/** What a card is marked with, assignees and labels: lists of ids in the order in which they came, each once. */

/**
 * The list with an id in it; the same list where it is there already.
 * @throws CardinalError `conflict` where the list is full
 */
export const including = (ids: string[], id: string, what: 'assignees' | 'labels'): string[] => {
  if (ids.includes(id)) return ids;
  checkRoom(`${what} on a card`, ids.length);
  return [...ids, id];
};

/** The list without an id; the same list where it is not there. */
export const excluding = (ids: string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : ids;
