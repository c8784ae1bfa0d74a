import { z } from 'zod';
import { operation } from './operation.ts';
import { changed, created, listed, versioned } from './response.ts';
import { archived, archivedAt, position, someOf, times, told, trimmedText, uuid, version } from './scalars.ts';

export const column = z
  .object({
    id: told(uuid, 'Its id.'),
    type: told(z.literal('column'), 'What kind of resource it is.'),
    version,
    board_id: told(uuid, 'The board that it is on.'),
    name: told(z.string(), 'What it is called.', 'In progress'),
    position: told(z.number(), 'Its place among the columns of the board, ascending from the left.', 2),
    archived_at: archivedAt,
    ...times,
  })
  .meta({ id: 'Column', description: 'A step on a board; its cards stand in an order.' });
export type Column = z.infer<typeof column>;

const name = told(trimmedText(120), 'What it is called.', 'In progress');

export const createColumnBody = z.strictObject({ name });

export const patchColumnBody = someOf({ name: name.optional(), position: position.optional() });

export const createColumn = operation({
  id: 'createColumn',
  service: 'card',
  method: 'POST',
  path: '/boards/:board_id/columns',
  tag: 'Columns',
  summary: 'Create a column, the last of its board',
  description: 'A board has 200 columns at most: 409 above.',
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
  description: 'In their order on the board.',
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
  description: 'With its `ETag`; `If-None-Match` answers 304 while it is the current one.',
  reply: versioned(column),
});

export const patchColumn = operation({
  id: 'patchColumn',
  service: 'card',
  method: 'PATCH',
  path: '/columns/:column_id',
  tag: 'Columns',
  summary: 'Rename or move a column',
  description: 'A column moves among the columns of its board.',
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
  description: 'It takes no new cards; those on it stay editable. Archiving it again changes nothing.',
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
  description: 'It takes cards again. Restoring an active one changes nothing.',
  requires: ['If-Match', 'Idempotency-Key'],
  reply: changed(column),
});
