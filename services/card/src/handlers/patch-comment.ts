import { comment, type patchComment as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { saveComment, toComment } from '../store/comments.ts';
import { commentTarget } from '../writing/comment.ts';
import { nextState } from '../writing/versioned.ts';
import { writeOnCard } from '../writing/write-card.ts';

/** Changes the text of a comment of one's own; the card stays as it is. */
export const patchComment =
  (parts: Parts): Handler<typeof contract> =>
  (request) =>
    writeOnCard(parts, {
      request,
      target: commentTarget(request),
      resource: comment,
      write: async ({ row }, tx, now) => {
        const next = nextState(row, request.body, now);
        if (next !== row) await saveComment(tx, next);
        return toComment(next);
      },
    });
