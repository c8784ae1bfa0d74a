import { card, putAssignee } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { assigneeOfCard } from '../../endpoint/queries.ts';
import { settled } from '../../endpoint/replies.ts';

export const putAssigneeEndpoint = desire({
  method: 'PUT',
  path: '/cards/:card_id/assignees/:user_id',
  operationId: 'putCardAssignee',
  tag: 'Cards',
  summary: 'Assign a card to a user',
  params: assigneeOfCard,
  reply: settled(card),
  answer: ({ bus, by, params: { card_id, user_id } }) =>
    bus.fetch(putAssignee, { ...by, card_id, assignee_user_id: user_id }),
});
