import type { EventType } from '@cardinal/contracts';
import { type Change, changeOf } from '@cardinal/db';
import type { Edge } from './rules.ts';

/** A dependency that is to be there or to be gone, with what followers hear of whoever asked, and of the cards then. */
export interface EdgeRequest extends Edge {
  requestId: string | undefined;
  userId: string;
  /** Of the card that waits. */
  identifier: string;
  boardId: string;
  /** Of the card that it waits for. */
  otherBoardId: string;
}

/** What they hear of it who see the boards of both cards. @param at when it changed */
export const changeOfEdge = (
  type: Extract<EventType, `dependency.${string}`>,
  { card_id, depends_on_card_id, requestId, userId, identifier, boardId, otherBoardId }: EdgeRequest,
  at: string,
): Change =>
  // Nothing is compared, so it is never none.
  changeOf({
    ...{ type, by: { user_id: userId }, requestId, at, boardId },
    subject: { type: 'dependency', id: depends_on_card_id },
    card: { id: card_id, identifier },
    otherBoardId: otherBoardId === boardId ? null : otherBoardId,
    data: type === 'dependency.added' ? { card_id, depends_on_card_id, created_at: at } : null,
  }) as Change;
