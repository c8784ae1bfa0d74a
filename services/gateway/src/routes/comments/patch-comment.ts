import { comment, patchComment, patchCommentBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { commentId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const patchCommentEndpoint = write({
  method: 'PATCH',
  path: '/comments/:comment_id',
  operationId: 'patchComment',
  tag: 'Comments',
  summary: 'Edit a comment of one’s own',
  description: 'Somebody else’s comment: 403.',
  requires: ['If-Match'],
  params: commentId,
  body: patchCommentBody,
  reply: changed(comment),
  answer: ({ bus, by, params, ifMatch, body }) =>
    bus.fetch(patchComment, { ...by, ...params, if_match: ifMatch, body }),
});
