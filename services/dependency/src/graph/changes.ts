import type { EventType } from '@cardinal/contracts';
import { type Change, changeOf } from '@cardinal/db';
import type { Edge } from './rules.ts';

/** A dependency to add or remove, with its user and the cards at that time, for the event. */
export interface EdgeRequest extends Edge {
  requestId: string | undefined;
  userId: string;
  /** Of the dependent card. */
  identifier: string;
  boardId: string;
  /** Of the card that it depends on. */
  otherBoardId: string;
}

/** The event for readers that see the boards of both cards. @param at when it changed */
export const changeOfEdge = (
  type: Extract<EventType, `dependency.${string}`>,
  { card_id, depends_on_card_id, requestId, userId, identifier, boardId, otherBoardId }: EdgeRequest,
  at: string,
): Change =>
  // It compares nothing, so it is never undefined.
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
