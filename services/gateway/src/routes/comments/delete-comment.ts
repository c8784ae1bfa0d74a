import { deleteComment } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { commentId } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteCommentEndpoint = write({
  method: 'DELETE',
  path: '/comments/:comment_id',
  operationId: 'deleteComment',
  tag: 'Comments',
  summary: 'Delete a comment of one’s own',
  description: 'Somebody else’s comment: 403.',
  requires: ['If-Match'],
  params: commentId,
  reply: deleted,
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(deleteComment, { ...by, ...params, if_match: ifMatch }),
});
