import { conflict, type MoveCardBody, validationError } from '@cardinal/contracts';
import type { Place } from '../positions/rules.ts';

/** Another card of the column, which a move names to say where. */
export interface Anchor {
  field: 'before_card_id' | 'after_card_id';
  id: string;
}

/** The card that a move goes before or after, if it names one. */
export const anchorOf = ({ before_card_id, after_card_id }: MoveCardBody): Anchor | undefined => {
  if (before_card_id !== undefined) return { field: 'before_card_id', id: before_card_id };
  if (after_card_id !== undefined) return { field: 'after_card_id', id: after_card_id };
  return undefined;
};

/** Where in its column a move goes; the start where it does not say (api-decisions, "Cards"). */
export const placeOf = (body: MoveCardBody): Place => {
  const anchor = anchorOf(body);
  if (anchor) return anchor.field === 'before_card_id' ? { before: anchor.id } : { after: anchor.id };
  return body.position ?? 'start';
};

/** What a move meets. */
export interface Scene {
  card: { id: string; board_id: string; archived_at: Date | null };
  /** The column it goes to; undefined where there is none of that id. */
  column: { id: string; board_id: string; archived_at: Date | null } | undefined;
  /** The card it names; undefined where there is none of that id. */
  anchorCard: { board_id: string; column_id: string } | undefined;
  boardArchivedAt: Date | null;
}

/**
 * Checks that a card may go where a move says: column and anchor on its own board, the anchor another card of that
 * column, neither card nor column nor board archived (api-decisions, "Cards" and "Errors").
 * @throws CardinalError `validation_error` or `conflict`
 */
export const checkMove = (body: MoveCardBody, { card, column, anchorCard, boardArchivedAt }: Scene): void => {
  const anchor = anchorOf(body);
  if (anchor) {
    if (anchor.id === card.id) throw refused(anchor.field, 'must be another card');
    if (anchorCard?.board_id !== card.board_id) throw refused(anchor.field, 'must be a card of the same board');
  }
  if (column?.board_id !== card.board_id) throw refused('column_id', 'must be a column of the same board');
  if (anchor && anchorCard?.column_id !== column.id) throw refused(anchor.field, 'must be a card of that column');
  if (card.archived_at) throw conflict('The card is archived');
  if (column.archived_at) throw conflict('The column is archived');
  if (boardArchivedAt) throw conflict('The board is archived');
};

const refused = (field: string, message: string) =>
  validationError([{ path: [field], message: `${field} ${message}` }]);
