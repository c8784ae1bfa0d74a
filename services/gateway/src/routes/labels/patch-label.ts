import { label, patchLabel, patchLabelBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { labelId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const patchLabelEndpoint = write({
  method: 'PATCH',
  path: '/labels/:label_id',
  operationId: 'patchLabel',
  tag: 'Labels',
  summary: 'Edit a label',
  requires: ['If-Match'],
  params: labelId,
  body: patchLabelBody,
  reply: changed(label),
  answer: ({ bus, by, params, ifMatch, body }) => bus.fetch(patchLabel, { ...by, ...params, if_match: ifMatch, body }),
});
