import { comment, listComments, pageQuery } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { cardId, splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listCommentsEndpoint = read({
  path: '/cards/:card_id/comments',
  operationId: 'listComments',
  tag: 'Comments',
  summary: 'List the comments of a card, oldest first',
  params: cardId,
  query: pageQuery,
  reply: listed(comment),
  answer: ({ bus, by, params, query }) => bus.fetch(listComments, { ...by, ...params, page: splitPage(query).page }),
});
