import { column, createColumn, createColumnBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { boardId } from '../../endpoint/queries.ts';
import { created } from '../../endpoint/replies.ts';

export const createColumnEndpoint = write({
  method: 'POST',
  path: '/boards/:board_id/columns',
  operationId: 'createColumn',
  tag: 'Columns',
  summary: 'Create a column, the last of its board',
  requires: ['Idempotency-Key'],
  params: boardId,
  body: createColumnBody,
  reply: created(column, 'columns'),
  answer: ({ bus, by, params, body }) => bus.fetch(createColumn, { ...by, ...params, body }),
});
