import { z } from 'zod';
import { caller, commandBy, defineRequest, outcomeOf, pageReply, pageRequest } from '../bus/request.ts';
import { uuid } from '../scalars.ts';
import { linkedFileChanged } from './events.ts';
import { cover, createFileBody, file, newFile } from './resource.ts';

const one = caller.extend({ file_id: uuid });
const ofCard = caller.extend({ card_id: uuid });
const ofSubtask = caller.extend({ subtask_id: uuid });
const deleted = z.object({ deleted: z.literal(true) });

/** Refused with `conflict` where the workspace has as much as it may. */
export const createFile = defineRequest(
  'attachment.create-file',
  commandBy.extend({ body: createFileBody }),
  outcomeOf(newFile),
  ['not_found', 'conflict'],
);
export const getFile = defineRequest('attachment.get-file', one, file);
/** Oldest first; files of boards that the caller cannot see are left out. */
export const listFiles = defineRequest('attachment.list-files', caller.extend({ page: pageRequest }), pageReply(file));
/**
 * Where the bytes of a clean file can be read for a while. Refused with `conflict` until it is checked, and with
 * `validation_error` where it failed a check; so are covers and links.
 */
export const getFileContent = defineRequest('attachment.get-file-content', one, z.object({ url: z.url() }), [
  'conflict',
  'validation_error',
]);
/** Its cover and its links vanish with it. */
export const deleteFile = defineRequest('attachment.delete-file', commandBy.extend({ file_id: uuid }), deleted);

/** Null where the card has no cover that the caller may see. */
export const getCover = defineRequest('attachment.get-cover', ofCard, z.object({ cover: cover.nullable() }));
/** Desired state: the card's cover is this file. */
export const putCover = defineRequest('attachment.put-cover', ofCard.extend({ file_id: uuid }), cover, [
  'conflict',
  'validation_error',
]);
export const deleteCover = defineRequest('attachment.delete-cover', ofCard, deleted, ['conflict']);

/** Desired state: the subtask's one linked file is this one. */
export const putLinkedFile = defineRequest('attachment.put-linked-file', ofSubtask.extend({ file_id: uuid }), file, [
  'conflict',
  'validation_error',
]);
export const deleteLinkedFile = defineRequest('attachment.delete-linked-file', ofSubtask, deleted, ['conflict']);

/** Which card a subtask that the caller may see is on, and whether that card's board is deleted. */
export const findSubtask = defineRequest(
  'card.find-subtask',
  ofSubtask,
  z.object({ subtask_id: uuid, card_id: uuid, board_deleted: z.boolean() }),
  [],
  ['attachment'],
);

/** Hands a link's event to the card service's projection before the writer is answered. */
export const projectLinkedFile = defineRequest(
  'card.project-linked-file',
  linkedFileChanged.schema,
  z.object({ applied: z.boolean() }),
  [],
  ['attachment'],
);
