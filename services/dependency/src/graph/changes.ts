import type { EventType } from '@cardinal/contracts';
import { type Change, changeOf } from '@cardinal/db';
import type { Edge } from './rules.ts';

/** A dependency to add or remove, with the user and the state of both cards, for the event. */
export interface EdgeRequest extends Edge {
  requestId: string | undefined;
  userId: string;
  /** The identifier of the dependent card. */
  identifier: string;
  /** The board of the dependent card. */
  boardId: string;
  /** The board of the card on which it depends. */
  otherBoardId: string;
}

/**
 * Makes the event of a change (CONTRACT 9.1), for readers that see the boards of both cards.
 * @param at the time of the change
 */
export const changeOfEdge = (
  type: Extract<EventType, `dependency.${string}`>,
  { card_id, depends_on_card_id, requestId, userId, identifier, boardId, otherBoardId }: EdgeRequest,
  at: string,
): Change =>
  // The event has no previous state, so `changeOf` never returns undefined.
  changeOf({
    type,
    by: { user_id: userId },
    requestId,
    at,
    boardId,
    subject: { type: 'dependency', id: depends_on_card_id },
    card: { id: card_id, identifier },
    otherBoardId: otherBoardId === boardId ? null : otherBoardId,
    data: type === 'dependency.added' ? { card_id, depends_on_card_id, created_at: at } : null,
  }) as Change;
