import { dependencyEntry, listDependencies, pageQuery } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { cardId, splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listDependenciesEndpoint = read({
  path: '/cards/:card_id/dependencies',
  operationId: 'listDependencies',
  tag: 'Dependencies',
  summary: 'List what a card depends on, oldest first',
  description: 'Cards that the caller cannot see are left out.',
  params: cardId,
  query: pageQuery,
  reply: listed(dependencyEntry),
  answer: ({ bus, by, params, query }) =>
    bus.fetch(listDependencies, { ...by, ...params, page: splitPage(query).page }),
});
