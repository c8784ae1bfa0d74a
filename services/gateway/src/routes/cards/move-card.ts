import { card, moveCard, moveCardBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const moveCardEndpoint = write({
  method: 'POST',
  path: '/cards/:card_id/move',
  operationId: 'moveCard',
  tag: 'Cards',
  summary: 'Move a card within its board',
  description: 'To the start of the column where no place is named. Its identifier stays.',
  requires: ['If-Match', 'Idempotency-Key'],
  params: cardId,
  body: moveCardBody,
  reply: changed(card),
  answer: ({ bus, by, params, ifMatch, body }) => bus.fetch(moveCard, { ...by, ...params, if_match: ifMatch, body }),
});
