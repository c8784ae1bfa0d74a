import { deleteCard } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteCardEndpoint = write({
  method: 'DELETE',
  path: '/cards/:card_id',
  operationId: 'deleteCard',
  tag: 'Cards',
  summary: 'Delete a card for good',
  description: 'Its identifiers answer 404 from then on and are never issued again.',
  scope: 'kanban:admin',
  requires: ['If-Match'],
  params: cardId,
  reply: deleted,
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(deleteCard, { ...by, ...params, if_match: ifMatch }),
});
