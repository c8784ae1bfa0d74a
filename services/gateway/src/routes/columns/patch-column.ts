import { column, patchColumn, patchColumnBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { columnId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const patchColumnEndpoint = write({
  method: 'PATCH',
  path: '/columns/:column_id',
  operationId: 'patchColumn',
  tag: 'Columns',
  summary: 'Rename or move a column',
  requires: ['If-Match'],
  params: columnId,
  body: patchColumnBody,
  reply: changed(column),
  answer: ({ bus, by, params, ifMatch, body }) => bus.fetch(patchColumn, { ...by, ...params, if_match: ifMatch, body }),
});
