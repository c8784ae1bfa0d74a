import { column, restoreColumn } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { columnId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const restoreColumnEndpoint = write({
  method: 'POST',
  path: '/columns/:column_id/restore',
  operationId: 'restoreColumn',
  tag: 'Columns',
  summary: 'Restore an archived column',
  requires: ['If-Match', 'Idempotency-Key'],
  params: columnId,
  reply: changed(column),
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(restoreColumn, { ...by, ...params, if_match: ifMatch }),
});
