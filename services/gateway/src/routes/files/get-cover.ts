import { getCover } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { coverOrNothing } from './replies.ts';

export const getCoverEndpoint = read({
  path: '/cards/:card_id/cover',
  operationId: 'getCover',
  tag: 'Files',
  summary: 'Read a card’s cover',
  description: '204 where the card has no cover that the caller may see.',
  params: cardId,
  reply: coverOrNothing,
  answer: ({ bus, by, params }) => bus.call(getCover, { ...by, ...params }),
});
