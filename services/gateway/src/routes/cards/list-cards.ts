import { card, cardFiltersQuery, listCards, pageQuery } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { boardId, splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listCardsEndpoint = read({
  path: '/boards/:board_id/cards',
  operationId: 'listCards',
  tag: 'Cards',
  summary: 'List the cards of a board',
  description: 'Ordered by column, then position, then id. All filters must hold.',
  params: boardId,
  query: cardFiltersQuery.extend(pageQuery.shape),
  reply: listed(card),
  answer: ({ bus, by, params, query }) => bus.fetch(listCards, { ...by, ...params, ...splitPage(query) }),
});
