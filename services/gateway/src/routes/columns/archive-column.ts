import { archiveColumn, column } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { columnId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const archiveColumnEndpoint = write({
  method: 'POST',
  path: '/columns/:column_id/archive',
  operationId: 'archiveColumn',
  tag: 'Columns',
  summary: 'Archive a column',
  requires: ['If-Match', 'Idempotency-Key'],
  params: columnId,
  reply: changed(column),
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(archiveColumn, { ...by, ...params, if_match: ifMatch }),
});
