import { dependency, putDependency } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { dependencyOfCard } from '../../endpoint/queries.ts';
import { unversioned } from '../../endpoint/replies.ts';

export const putDependencyEndpoint = desire({
  method: 'PUT',
  path: '/cards/:card_id/dependencies/:depends_on_card_id',
  operationId: 'putDependency',
  tag: 'Dependencies',
  summary: 'Declare that a card depends on another one',
  description:
    'Any card of the workspace, on any board. One that would close a cycle: 409; so is one above 1,000 of a card.',
  refusals: ['validation_error'],
  params: dependencyOfCard,
  reply: unversioned(dependency),
  answer: ({ bus, by, params }) => bus.fetch(putDependency, { ...by, ...params }),
});
