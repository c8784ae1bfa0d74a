import { deleteLabel } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { labelId } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteLabelEndpoint = write({
  method: 'DELETE',
  path: '/labels/:label_id',
  operationId: 'deleteLabel',
  tag: 'Labels',
  summary: 'Delete a label',
  description: 'Cards that carried it lose it, and their versions rise.',
  requires: ['If-Match'],
  params: labelId,
  reply: deleted,
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(deleteLabel, { ...by, ...params, if_match: ifMatch }),
});
