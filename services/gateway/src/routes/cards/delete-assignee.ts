import { deleteAssignee } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { assigneeOfCard } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteAssigneeEndpoint = desire({
  method: 'DELETE',
  path: '/cards/:card_id/assignees/:user_id',
  operationId: 'deleteCardAssignee',
  tag: 'Cards',
  summary: 'Take a card off a user',
  params: assigneeOfCard,
  reply: deleted,
  answer: ({ bus, by, params: { card_id, user_id } }) =>
    bus.fetch(deleteAssignee, { ...by, card_id, assignee_user_id: user_id }),
});
