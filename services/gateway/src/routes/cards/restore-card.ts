import { card, restoreCard } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const restoreCardEndpoint = write({
  method: 'POST',
  path: '/cards/:card_id/restore',
  operationId: 'restoreCard',
  tag: 'Cards',
  summary: 'Restore an archived card',
  description: 'To its own column, or to the first active one where that is archived.',
  requires: ['If-Match', 'Idempotency-Key'],
  params: cardId,
  reply: changed(card),
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(restoreCard, { ...by, ...params, if_match: ifMatch }),
});
