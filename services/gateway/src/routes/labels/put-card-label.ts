import { card, putCardLabel } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { labelOfCard } from '../../endpoint/queries.ts';
import { settled } from '../../endpoint/replies.ts';

export const putCardLabelEndpoint = desire({
  method: 'PUT',
  path: '/cards/:card_id/labels/:label_id',
  operationId: 'putCardLabel',
  tag: 'Labels',
  summary: 'Put a label on a card',
  params: labelOfCard,
  reply: settled(card),
  answer: ({ bus, by, params }) => bus.fetch(putCardLabel, { ...by, ...params }),
});
