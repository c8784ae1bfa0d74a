import { z } from 'zod';
import { caller, defineInternalEvent, defineRequest } from './bus.ts';
import { operationsOf } from './operation.ts';
import { changed, created, deleted, listed, versioned } from './response.ts';
import { doc, head, oneOfThree, position, shown, someOf, times, timestamp, trimmedText, uuid } from './scalars.ts';

export const linkedFile = z
  .object({ id: doc(uuid, 'The file.'), name: doc(shown(255), 'Its name.', 'receipt.png') })
  .meta({ id: 'LinkedFile', description: 'What a subtask shows of the file linked to it.' });

export const subtask = z
  .object({
    ...head('subtask'),
    card_id: doc(uuid, 'The card that it is part of.'),
    title: doc(shown(240), 'What is to be done.', 'Ask the bank'),
    completed_at: doc(timestamp.nullable(), 'When it was completed; null while it is open.', null),
    position: doc(z.number(), 'Its place among the subtasks of the card, ascending from the top.', 1),
    linked_file: doc(linkedFile.nullable(), 'The file linked to it, where the caller sees one.'),
    ...times,
  })
  .meta({ id: 'Subtask', description: 'A part of a card, done by itself.' });
export type Subtask = z.infer<typeof subtask>;

const title = doc(trimmedText(240), 'What is to be done.', 'Ask the bank');

/** Its place among the subtasks of its card, named in at most one way, as for cards. */
export const patchSubtaskBody = oneOfThree(
  someOf({
    title: title,
    completed: doc(z.boolean(), 'Whether it is done.', true),
    before_subtask_id: doc(uuid, 'The subtask that it goes before.'),
    after_subtask_id: doc(uuid, 'The subtask that it goes after.'),
    position: position,
  }),
  ['before_subtask_id', 'after_subtask_id', 'position'],
);
export type PatchSubtaskBody = z.infer<typeof patchSubtaskBody>;

/** A subtask was deleted alone. The deletion of its card covers all its subtasks. */
export const subtaskDeleted = defineInternalEvent('card.subtask-deleted', 1, z.object({ card_id: uuid }));

const operation = operationsOf('card', 'Subtasks');

export const createSubtask = operation('createSubtask', 'POST /cards/:card_id/subtasks', {
  summary: 'Create a subtask, the last of its card',
  description: 'The card counts its subtasks, so its version rises.',
  body: z.strictObject({ title }),
  reply: created(subtask, 'subtasks'),
  emits: ['subtask.created'],
  refusals: ['conflict'],
  example: { title: 'Ask the bank' },
});

export const listSubtasks = operation('listSubtasks', 'GET /cards/:card_id/subtasks', {
  summary: 'List the subtasks of a card in their order',
  description: 'From the top.',
  reply: listed(subtask),
});

export const getSubtask = operation('getSubtask', 'GET /subtasks/:subtask_id', {
  summary: 'Read a subtask',
  reply: versioned(subtask),
});

export const patchSubtask = operation('patchSubtask', 'PATCH /subtasks/:subtask_id', {
  summary: 'Rename, complete, reopen or place a subtask',
  description: 'It is placed in at most one way. The neighbor is of the same card, else 422.',
  body: patchSubtaskBody,
  reply: changed(subtask),
  emits: ['subtask.updated'],
  refusals: ['validation_error', 'conflict'],
  example: { completed: true },
});

export const deleteSubtask = operation('deleteSubtask', 'DELETE /subtasks/:subtask_id', {
  summary: 'Delete a subtask',
  description: 'Its link to a file goes with it; the file stays.',
  requires: ['If-Match'],
  reply: deleted(),
  emits: ['subtask.deleted'],
  refusals: ['conflict'],
});

/** Answers the card of a subtask that the caller sees, and whether that card's board is deleted. */
export const findSubtask = defineRequest(
  'card.find-subtask',
  caller.extend({ subtask_id: uuid }),
  z.object({ subtask_id: uuid, card_id: uuid, board_deleted: z.boolean() }),
  [],
  ['attachment'],
);
