import { deleteComment as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { deleteCommentRow } from '../store/comments.ts';
import { commentTarget } from '../writing/comment.ts';
import { storeChanges } from '../writing/store-changes.ts';
import { writeOnCard } from '../writing/write-card.ts';

/** Deletes a comment of one's own; the card counts one less. */
export const deleteComment =
  (parts: Parts): Handler<typeof contract> =>
  async (request) => {
    const { resource } = await writeOnCard(parts, {
      request,
      target: commentTarget(request),
      resource: contract.reply,
      replayFirst: true,
      write: async ({ card, row }, tx, now) => {
        await deleteCommentRow(tx, row);
        await storeChanges(tx, card, { comment_count: card.comment_count - 1 }, now);
        return { deleted: true } as const;
      },
    });
    return resource;
  };
