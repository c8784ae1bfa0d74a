import { comment, type createComment as contract } from '@cardinal/contracts';
import { v7 } from 'uuid';
import type { Handler, Parts } from '../parts.ts';
import { insertComment, toComment } from '../store/comments.ts';
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
      write: async ({ card }, tx, now) => {
        const row = await insertComment(tx, {
          ...request.body,
          workspace_id: request.workspace_id,
          id: v7(),
          version: 1,
          card_id: card.id,
          created_by: request.user_id,
          created_at: now,
          updated_at: now,
        });
        await storeChanges(tx, card, { comment_count: card.comment_count + 1 }, now);
        return toComment(row);
      },
    });
