import { card, getCard } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { versioned } from '../../endpoint/replies.ts';

export const getCardEndpoint = read({
  path: '/cards/:card_id',
  operationId: 'getCard',
  tag: 'Cards',
  summary: 'Read a card',
  params: cardId,
  reply: versioned(card),
  answer: ({ bus, by, params }) => bus.fetch(getCard, { ...by, ...params }),
});
