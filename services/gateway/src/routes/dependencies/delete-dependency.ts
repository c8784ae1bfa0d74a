import { deleteDependency } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { dependencyOfCard } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteDependencyEndpoint = desire({
  method: 'DELETE',
  path: '/cards/:card_id/dependencies/:depends_on_card_id',
  operationId: 'deleteDependency',
  tag: 'Dependencies',
  summary: 'Remove a dependency',
  description: 'One on a card that the caller cannot see stays; the answer is 204 all the same.',
  params: dependencyOfCard,
  reply: deleted,
  answer: ({ bus, by, params }) => bus.fetch(deleteDependency, { ...by, ...params }),
});
