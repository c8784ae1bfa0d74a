import { z } from 'zod';
import { operation } from './operation.ts';
import { changed, created, listed, versioned } from './response.ts';
import { archived, notEmpty, position, timestamp, trimmedText, uuid, version } from './scalars.ts';

export const column = z
  .object({
    id: uuid,
    type: z.literal('column'),
    version,
    board_id: uuid,
    name: z.string(),
    position: z.number(),
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Column' });
export type Column = z.infer<typeof column>;

const name = trimmedText(120);

export const createColumnBody = z.strictObject({ name });

export const patchColumnBody = z
  .strictObject({ name: name.optional(), position: position.optional() })
  .refine(...notEmpty);

export const createColumn = operation({
  id: 'createColumn',
  service: 'card',
  method: 'POST',
  path: '/boards/:board_id/columns',
  tag: 'Columns',
  summary: 'Create a column, the last of its board',
  requires: ['Idempotency-Key'],
  body: createColumnBody,
  reply: created(column, 'columns'),
  refusals: ['conflict'],
  example: { name: 'In progress' },
});

export const listColumns = operation({
  id: 'listColumns',
  service: 'card',
  method: 'GET',
  path: '/boards/:board_id/columns',
  tag: 'Columns',
  summary: 'List the columns of a board',
  query: { archived },
  reply: listed(column),
});

export const getColumn = operation({
  id: 'getColumn',
  service: 'card',
  method: 'GET',
  path: '/columns/:column_id',
  tag: 'Columns',
  summary: 'Read a column',
  reply: versioned(column),
});

export const patchColumn = operation({
  id: 'patchColumn',
  service: 'card',
  method: 'PATCH',
  path: '/columns/:column_id',
  tag: 'Columns',
  summary: 'Rename or move a column',
  requires: ['If-Match'],
  body: patchColumnBody,
  reply: changed(column),
  example: { name: 'Doing', position: 'end' },
});

export const archiveColumn = operation({
  id: 'archiveColumn',
  service: 'card',
  method: 'POST',
  path: '/columns/:column_id/archive',
  tag: 'Columns',
  summary: 'Archive a column',
  requires: ['If-Match', 'Idempotency-Key'],
  reply: changed(column),
});

export const restoreColumn = operation({
  id: 'restoreColumn',
  service: 'card',
  method: 'POST',
  path: '/columns/:column_id/restore',
  tag: 'Columns',
  summary: 'Restore an archived column',
  requires: ['If-Match', 'Idempotency-Key'],
  reply: changed(column),
});
