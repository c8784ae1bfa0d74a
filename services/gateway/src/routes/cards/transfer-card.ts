import { card, transferCard, transferCardBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const transferCardEndpoint = write({
  method: 'POST',
  path: '/cards/:card_id/workstream',
  operationId: 'transferCard',
  tag: 'Cards',
  summary: 'Transfer a card to another workstream',
  description: 'The card gets the next identifier there; its former one stays its alias for ever.',
  requires: ['If-Match', 'Idempotency-Key'],
  params: cardId,
  body: transferCardBody,
  reply: changed(card),
  answer: ({ bus, by, params, ifMatch, body }) =>
    bus.fetch(transferCard, { ...by, ...params, if_match: ifMatch, body }),
});
