import { deleteCardLabel } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { labelOfCard } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteCardLabelEndpoint = desire({
  method: 'DELETE',
  path: '/cards/:card_id/labels/:label_id',
  operationId: 'deleteCardLabel',
  tag: 'Labels',
  summary: 'Take a label off a card',
  params: labelOfCard,
  reply: deleted,
  answer: ({ bus, by, params }) => bus.fetch(deleteCardLabel, { ...by, ...params }),
});
