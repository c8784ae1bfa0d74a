import { deleteCover } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteCoverEndpoint = desire({
  method: 'DELETE',
  path: '/cards/:card_id/cover',
  operationId: 'deleteCover',
  tag: 'Files',
  summary: 'Take a card’s cover away',
  params: cardId,
  reply: deleted,
  answer: ({ bus, by, params }) => bus.fetch(deleteCover, { ...by, ...params }),
});
