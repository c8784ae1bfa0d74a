import { z } from 'zod';
import { operationsOf } from './operation.ts';
import { changed, created, listed, versioned } from './response.ts';
import {
  archived,
  archivedAt,
  doc,
  head,
  named,
  position,
  shown,
  someOf,
  times,
  trimmedText,
  uuid,
} from './scalars.ts';

export const column = z
  .object({
    ...head('column'),
    board_id: doc(uuid, 'The board that it is on.'),
    name: doc(shown(120), 'What it is called.', 'In progress'),
    position: doc(z.number(), 'Its place among the columns of the board, ascending from the left.', 2),
    archived_at: archivedAt,
    ...times,
  })
  .meta({ id: 'Column', description: 'A step on a board; its cards stand in an order.' });
export type Column = z.infer<typeof column>;

const name = doc(trimmedText(120), 'What it is called.', 'In progress');

const operation = operationsOf('card', 'Columns');

export const createColumn = operation('createColumn', 'POST /boards/:board_id/columns', {
  summary: 'Create a column, the last of its board',
  description: 'A board has 200 columns at most: 409 above.',
  body: z.strictObject({ name }),
  reply: created(column, 'columns'),
  emits: ['column.created'],
  refusals: ['conflict'],
  example: { name: 'In progress' },
});

export const listColumns = operation('listColumns', 'GET /boards/:board_id/columns', {
  summary: 'List the columns of a board',
  description: 'In their order on the board.',
  query: { archived, name: named },
  reply: listed(column),
});

export const getColumn = operation('getColumn', 'GET /columns/:column_id', {
  summary: 'Read a column',
  reply: versioned(column),
});

export const patchColumn = operation('patchColumn', 'PATCH /columns/:column_id', {
  summary: 'Rename or move a column',
  description: 'A column moves among the columns of its board.',
  body: someOf({ name, position }),
  reply: changed(column),
  emits: ['column.updated'],
  example: { name: 'Doing', position: 'end' },
});

export const archiveColumn = operation('archiveColumn', 'POST /columns/:column_id/archive', {
  summary: 'Archive a column',
  description: 'It takes no new cards; those on it stay editable. Archiving it again changes nothing.',
  reply: changed(column),
  emits: ['column.archived'],
});

export const restoreColumn = operation('restoreColumn', 'POST /columns/:column_id/restore', {
  summary: 'Restore an archived column',
  description: 'It takes cards again. Restoring an active one changes nothing.',
  reply: changed(column),
  emits: ['column.restored'],
});
