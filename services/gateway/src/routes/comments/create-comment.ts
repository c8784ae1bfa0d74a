import { comment, createComment, createCommentBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { created } from '../../endpoint/replies.ts';

export const createCommentEndpoint = write({
  method: 'POST',
  path: '/cards/:card_id/comments',
  operationId: 'createComment',
  tag: 'Comments',
  summary: 'Comment on a card',
  requires: ['Idempotency-Key'],
  params: cardId,
  body: createCommentBody,
  reply: created(comment, 'comments'),
  answer: ({ bus, by, params, body }) => bus.fetch(createComment, { ...by, ...params, body }),
});
