import { dependencyEntry, listDependents, pageQuery } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { cardId, splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listDependentsEndpoint = read({
  path: '/cards/:card_id/dependents',
  operationId: 'listDependents',
  tag: 'Dependencies',
  summary: 'List the cards that depend on a card, oldest first',
  description: 'Cards that the caller cannot see are left out.',
  params: cardId,
  query: pageQuery,
  reply: listed(dependencyEntry),
  answer: ({ bus, by, params, query }) => bus.fetch(listDependents, { ...by, ...params, page: splitPage(query).page }),
});
