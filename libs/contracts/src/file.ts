import { z } from 'zod';
import { defineInternalEvent, defineProjection, defineRequest } from './bus.ts';
import { operationsOf } from './operation.ts';
import { created, deleted, listed, optional, redirected, unversioned } from './response.ts';
import { atMost, createdBy, doc, shown, text, times, timestamp, trimmedText, uuid } from './scalars.ts';
import { linkedFile } from './subtask.ts';

/** `pending`: its bytes have not arrived; `scanning`: they are being checked. `infected` and `rejected` are final. */
export const fileStatus = z.enum(['pending', 'scanning', 'clean', 'infected', 'rejected']);
export type FileStatus = z.infer<typeof fileStatus>;

/**
 * Why a file was rejected. `too_complex`: decoding the image would take memory or time out of proportion to its pixels.
 */
export const fileRejection = z.enum([
  'empty',
  'too_large',
  'broken_image',
  'too_many_pixels',
  'too_complex',
  'expired',
  'unchecked',
]);
export type FileRejection = z.infer<typeof fileRejection>;

/** A file as clients see it (CONTRACT 8.1). */
export const file = z
  .object({
    id: doc(uuid, 'Its id.'),
    type: doc(z.literal('file'), 'What kind of resource it is.'),
    name: doc(shown(255), 'What it is called.', 'receipt.png'),
    status: doc(
      fileStatus,
      'Where it stands; only a `clean` file is ever served, `infected` and `rejected` are final.',
      'clean',
    ),
    rejection: doc(fileRejection.nullable(), 'Why the file was rejected; null in every other state', null),
    content_type: doc(
      shown(255).nullable(),
      'What the bytes are, whatever the name says; `application/octet-stream` where they are no known type; null until they were looked at',
      'image/png',
    ),
    size: doc(z.int().min(0).nullable(), 'Bytes; null until they have arrived', 48_213),
    board_id: doc(uuid.nullable(), 'The board as whose it is as visible; null: the workspace.'),
    created_by: createdBy,
    ...times,
  })
  .meta({ id: 'File', description: 'A file: its name and state; its bytes are at `/files/{file_id}/content`.' });
export type File = z.infer<typeof file>;

export const upload = z.object({
  method: z.literal('PUT'),
  url: doc(z.url(), 'Where the bytes go, once.', 'https://files.example.com/uploads/0197c2f0?signature=5f0c'),
  headers: doc(z.record(shown(64), shown(256)).meta({ maxProperties: 8 }), 'Headers to send with them.', {
    'Content-Type': 'application/octet-stream',
  }),
  expires_at: doc(timestamp, 'Until when.'),
});
export type Upload = z.infer<typeof upload>;

export const newFile = file
  .extend({ upload: doc(upload, 'Where its bytes go.') })
  .meta({ id: 'NewFile', description: 'A new file with the way to upload its bytes.' });

/** The image in WebP, never wider than the original. */
export const rendition = z.object({
  width: doc(z.int().min(1), 'Pixels.', 640),
  height: doc(z.int().min(1), 'Pixels.', 360),
  url: doc(z.url(), 'Where it is, for a while.', 'https://files.example.com/renditions/0197c2f0-640?signature=5f0c'),
});

/** A card's cover (CONTRACT 8.2). */
export const cover = z
  .object({
    file_id: doc(uuid, 'The file.'),
    name: doc(text({ max: 255 }), 'Its name.', 'receipt.png'),
    content_type: doc(shown(255), 'What its bytes are.', 'image/png'),
    width: doc(z.int().min(1), 'Pixels.', 1280),
    height: doc(z.int().min(1), 'Pixels.', 720),
    renditions: doc(atMost(3, rendition), 'The same image in WebP, 320, 640 and 1280 pixels wide; never enlarged.'),
  })
  .meta({ id: 'Cover', description: 'The image that a card shows.' });
export type Cover = z.infer<typeof cover>;

/** A subtask's link as the card service projects it. */
const linkState = z.object({
  subtask_id: uuid,
  card_id: uuid,
  /** With the board that decides its visibility. */
  file: linkedFile.extend({ board_id: uuid.nullable() }).nullable(),
});

/** A subtask's link to a file was set or cleared. The aggregate is the subtask; the version counts these changes. */
export const linkedFileChanged = defineInternalEvent('linked-file.changed', 1, linkState);

const operation = operationsOf('attachment', 'Files');

export const createFile = operation('createFile', 'POST /files', {
  summary: 'Create a file',
  description:
    'Then send its bytes to `upload.url`, once, before `upload.expires_at`. They are checked; only a `clean` file is served. Refused where the workspace has as many files, or bytes of them, as it may.',
  body: z.strictObject({
    name: doc(trimmedText(255), 'What it is called.', 'receipt.png'),
    board_id: uuid
      .nullable()
      .default(null)
      .describe('The file is as visible as this board; without it, in the workspace'),
  }),
  emits: ['file.created'],
  reply: created(newFile, 'files'),
  refusals: ['not_found', 'conflict'],
  example: { name: 'receipt.png' },
});

export const listFiles = operation('listFiles', 'GET /files', {
  summary: 'List files, oldest first',
  description: 'Files of boards that the caller cannot see are left out.',
  reply: listed(file),
});

export const getFile = operation('getFile', 'GET /files/:file_id', {
  summary: 'Read a file’s state',
  description: 'Ask again while it is `pending` or `scanning`.',
  reply: unversioned(file),
});

export const getFileContent = operation('getFileContent', 'GET /files/:file_id/content', {
  summary: 'Download a file',
  description:
    'Redirects to the bytes of a clean file. One that is not checked yet: 409; one that failed a check: 422.',
  reply: redirected(),
  refusals: ['conflict', 'validation_error'],
});

/** A file has no version, so its deletion needs no header. But it is a command: its repetition is 404. */
export const deleteFile = operation('deleteFile', 'DELETE /files/:file_id', {
  summary: 'Delete a file',
  description: 'The covers and links that it is vanish with it.',
  requires: [],
  emits: ['file.deleted'],
  reply: deleted(),
});

export const getCover = operation('getCover', 'GET /cards/:card_id/cover', {
  summary: 'Read a card’s cover',
  description: '204 where the card has no cover that the caller may see.',
  reply: optional('cover', cover),
});

export const putCover = operation('putCover', 'PUT /cards/:card_id/cover/:file_id', {
  summary: 'Make a file the cover of a card',
  description: 'A file that is not checked yet: 409; one that failed a check or is no raster image: 422.',
  emits: ['cover.set'],
  reply: unversioned(cover),
  refusals: ['conflict', 'validation_error'],
});

export const deleteCover = operation('deleteCover', 'DELETE /cards/:card_id/cover', {
  summary: 'Take a card’s cover away',
  description: 'The file stays. Without a cover: 204 too.',
  emits: ['cover.cleared'],
  reply: deleted(),
  refusals: ['conflict'],
});

export const putLinkedFile = operation('putLinkedFile', 'PUT /subtasks/:subtask_id/linked-file/:file_id', {
  summary: 'Link a file to a subtask',
  description: 'In place of any other. A file that is not checked yet: 409; one that failed a check: 422.',
  emits: ['linked_file.set'],
  reply: unversioned(file),
  refusals: ['conflict', 'validation_error'],
});

export const deleteLinkedFile = operation('deleteLinkedFile', 'DELETE /subtasks/:subtask_id/linked-file', {
  summary: 'Take a subtask’s link away',
  description: 'The file stays. Without a link: 204 too.',
  emits: ['linked_file.cleared'],
  reply: deleted(),
  refusals: ['conflict'],
});

/** Hands a link's event to the card service's projection before the writer is answered. */
export const projectLinkedFile = defineProjection('card.project-linked-file', linkedFileChanged, 'attachment');

/**
 * Reads the links of a workspace's subtasks as the card service projects them, to rebuild its projection: those of
 * subtasks with ids after `after` up to `through`, by id.
 */
export const readLinks = defineRequest(
  'attachment.read-links',
  z.object({ workspace_id: uuid, after: uuid.nullable(), through: uuid.nullable() }),
  z.object({
    links: z.array(linkState.extend({ version: z.int().min(0) })),
    /** The last subtask read where there are more; else null. */
    next: uuid.nullable(),
  }),
  [],
  ['card'],
);
