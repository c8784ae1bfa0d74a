import { card, patchCard, patchCardBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const patchCardEndpoint = write({
  method: 'PATCH',
  path: '/cards/:card_id',
  operationId: 'patchCard',
  tag: 'Cards',
  summary: 'Edit a card',
  description:
    'With `workstream_id` the card is transferred as well, both or neither, and its version rises by two. null clears `description`, `due_date` and `priority`.',
  requires: ['If-Match'],
  params: cardId,
  body: patchCardBody,
  reply: changed(card),
  answer: ({ bus, by, params, ifMatch, body }) => bus.fetch(patchCard, { ...by, ...params, if_match: ifMatch, body }),
});
