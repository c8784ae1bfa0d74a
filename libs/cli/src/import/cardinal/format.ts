import {
  board,
  boardMember,
  card,
  column,
  comment,
  file,
  identifierHistoryEntry,
  label,
  person,
  registerEntry,
  subtask,
  timestamp,
  uuid,
  workstream,
} from '@cardinal/contracts';
import { z } from 'zod';

/**
 * An export: a folder with `export.jsonl`, one resource a line in the API's form, and the bytes of each file in
 * `files/ID` (CONTRACT 11.3). Positions are 1, 2, 3, … from the top, counting active and archived ones.
 */

export const dataFile = 'export.jsonl';
export const filesFolder = 'files';

const place = z.int().min(0);

const firstLine = z.object({
  type: z.literal('export'),
  format: z.literal(1),
  id: uuid,
  workspace_id: uuid,
  user_id: uuid,
  exported_at: timestamp,
});

const boardLine = board.extend({
  /** A deleted board, whose name and cards the API still shows. It is exported as private, since it may have been. */
  deleted_at: timestamp.nullable(),
  members: z.array(boardMember.omit({ board_id: true })),
});
export type BoardLine = z.infer<typeof boardLine>;

const columnLine = column.extend({ position: place });
export type ColumnLine = z.infer<typeof columnLine>;

const fileLine = file.extend({
  /** SHA-256 of the bytes, in hexadecimal. */
  sha256: z.hex().length(64),
});
export type FileLine = z.infer<typeof fileLine>;

const cardLine = card.extend({
  position: place,
  identifiers: z.array(identifierHistoryEntry).min(1),
  depends_on: z.array(z.object({ card_id: uuid, created_at: timestamp })),
  cover_file_id: uuid.nullable(),
});
export type CardLine = z.infer<typeof cardLine>;

/** What an id of a user stands for; who has no name is left out. */
const personLine = person.pick({ type: true, user_id: true, name: true, email: true, kind: true });

/** An identifier whose card is deleted, or hidden from the user of the export. */
const identifierLine = registerEntry
  .pick({ identifier: true, is_current: true, assigned_at: true, superseded_at: true, adopted: true })
  .extend({ type: z.literal('identifier') });
export type IdentifierLine = z.infer<typeof identifierLine>;

/** The count of each type; omitted resources are counted too. */
const lastLine = z.object({ type: z.literal('end'), counts: z.record(z.string(), z.int().min(0)) });
export type Counts = z.infer<typeof lastLine>['counts'];

/** Comments and subtasks follow their card. */
export const line = z.discriminatedUnion('type', [
  firstLine,
  workstream,
  label,
  personLine,
  boardLine,
  columnLine,
  fileLine,
  cardLine,
  comment,
  subtask.extend({ position: place }),
  identifierLine,
  lastLine,
]);
export type Line = z.infer<typeof line>;
export type LineOf<Type extends Line['type']> = Extract<Line, { type: Type }>;
