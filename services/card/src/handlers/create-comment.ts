import { comment, type createComment as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { insertComment, toComment } from '../store/comments.ts';
import { newRow } from '../writing/new-row.ts';
import { storeChanges } from '../writing/store-changes.ts';
import { cardTarget } from '../writing/target.ts';
import { writeOnCard } from '../writing/write-card.ts';

/** Writes a comment on a card, which counts it. */
export const createComment =
  (parts: Parts): Handler<typeof contract> =>
  (request) =>
    writeOnCard(parts, {
      request,
      target: cardTarget(request),
      resource: comment,
      write: async ({ card }, tx) => {
        const { workspace_id, user_id: created_by, body } = request;
        const row = await insertComment(tx, { ...newRow(), ...body, workspace_id, card_id: card.id, created_by });
        await storeChanges(tx, card, { comment_count: card.comment_count + 1 }, row.created_at);
        return toComment(row);
      },
    });
