import { card, createCard, createCardBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { columnId } from '../../endpoint/queries.ts';
import { created } from '../../endpoint/replies.ts';

export const createCardEndpoint = write({
  method: 'POST',
  path: '/columns/:column_id/cards',
  operationId: 'createCard',
  tag: 'Cards',
  summary: 'Create a card at the start of a column',
  description:
    'Without `workstream_id` the card is filed under the default workstream of its board, else under that of the workspace. The server gives it the next identifier of its workstream.',
  requires: ['Idempotency-Key'],
  params: columnId,
  body: createCardBody,
  reply: created(card, 'cards'),
  answer: ({ bus, by, params, body }) => bus.fetch(createCard, { ...by, ...params, body }),
});
