import { archiveCard, card } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const archiveCardEndpoint = write({
  method: 'POST',
  path: '/cards/:card_id/archive',
  operationId: 'archiveCard',
  tag: 'Cards',
  summary: 'Archive a card',
  requires: ['If-Match', 'Idempotency-Key'],
  params: cardId,
  reply: changed(card),
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(archiveCard, { ...by, ...params, if_match: ifMatch }),
});
