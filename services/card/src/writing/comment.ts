import type { Caller } from '@cardinal/contracts';
import { checkAuthor } from '../domain/write-rules.ts';
import { findComment } from '../store/comments.ts';
import { onCardTarget } from './target.ts';

/** A comment, which only its author may write. */
export const commentTarget = (request: Caller & { comment_id: string }) => ({
  ...onCardTarget('Comment', request, (tx) => findComment(tx, request.workspace_id, request.comment_id)),
  permit: ({ row }: { row: { created_by: string } }) => checkAuthor(row, request.user_id),
});
