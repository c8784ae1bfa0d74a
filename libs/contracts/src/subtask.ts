import { z } from 'zod';
import { caller, defineEvent, defineRequest } from './bus.ts';
import { operation } from './operation.ts';
import { changed, created, deleted, listed, versioned } from './response.ts';
import { oneOfThree, position, someOf, times, timestamp, told, trimmedText, uuid, version } from './scalars.ts';

export const linkedFile = z
  .object({ id: told(uuid, 'The file.'), name: told(z.string(), 'Its name.', 'receipt.png') })
  .meta({ id: 'LinkedFile', description: 'What a subtask shows of the file linked to it.' });

export const subtask = z
  .object({
    id: told(uuid, 'Its id.'),
    type: told(z.literal('subtask'), 'What kind of resource it is.'),
    version,
    card_id: told(uuid, 'The card that it is part of.'),
    title: told(z.string(), 'What is to be done.', 'Ask the bank'),
    completed_at: told(timestamp.nullable(), 'When it was completed; null while it is open.', null),
    position: told(z.number(), 'Its place among the subtasks of the card, ascending from the top.', 1),
    linked_file: told(linkedFile.nullable(), 'The file linked to it, where the caller sees one.'),
    ...times,
  })
  .meta({ id: 'Subtask', description: 'A part of a card, done by itself.' });
export type Subtask = z.infer<typeof subtask>;

const title = told(trimmedText(240), 'What is to be done.', 'Ask the bank');

export const createSubtaskBody = z.strictObject({ title });

/** Where it goes among the subtasks of its card: as for cards, at most one way to name the place. */
export const patchSubtaskBody = oneOfThree(
  someOf({
    title: title.optional(),
    completed: told(z.boolean().optional(), 'Whether it is done.', true),
    before_subtask_id: told(uuid.optional(), 'The subtask that it goes before.'),
    after_subtask_id: told(uuid.optional(), 'The subtask that it goes after.'),
    position: position.optional(),
  }),
  ['before_subtask_id', 'after_subtask_id', 'position'],
);
export type PatchSubtaskBody = z.infer<typeof patchSubtaskBody>;

/** A subtask was deleted by itself; the deletion of its card says the same of all its subtasks. */
export const subtaskDeleted = defineEvent('card.subtask-deleted', 1, z.object({ card_id: uuid }));

export const createSubtask = operation({
  id: 'createSubtask',
  service: 'card',
  method: 'POST',
  path: '/cards/:card_id/subtasks',
  tag: 'Subtasks',
  summary: 'Create a subtask, the last of its card',
  description: 'The card counts its subtasks, so its version rises.',
  requires: ['Idempotency-Key'],
  body: createSubtaskBody,
  reply: created(subtask, 'subtasks'),
  refusals: ['conflict'],
  example: { title: 'Ask the bank' },
});

export const listSubtasks = operation({
  id: 'listSubtasks',
  service: 'card',
  method: 'GET',
  path: '/cards/:card_id/subtasks',
  tag: 'Subtasks',
  summary: 'List the subtasks of a card in their order',
  description: 'From the top.',
  reply: listed(subtask),
});

export const getSubtask = operation({
  id: 'getSubtask',
  service: 'card',
  method: 'GET',
  path: '/subtasks/:subtask_id',
  tag: 'Subtasks',
  summary: 'Read a subtask',
  description: 'With its `ETag`; `If-None-Match` answers 304 while it is the current one.',
  reply: versioned(subtask),
});

export const patchSubtask = operation({
  id: 'patchSubtask',
  service: 'card',
  method: 'PATCH',
  path: '/subtasks/:subtask_id',
  tag: 'Subtasks',
  summary: 'Rename, complete, reopen or place a subtask',
  description: 'It is placed in at most one way. The neighbor is of the same card, else 422.',
  requires: ['If-Match'],
  body: patchSubtaskBody,
  reply: changed(subtask),
  refusals: ['validation_error', 'conflict'],
  example: { completed: true },
});

export const deleteSubtask = operation({
  id: 'deleteSubtask',
  service: 'card',
  method: 'DELETE',
  path: '/subtasks/:subtask_id',
  tag: 'Subtasks',
  summary: 'Delete a subtask',
  description: 'Its link to a file goes with it; the file stays.',
  requires: ['If-Match'],
  reply: deleted(),
  refusals: ['conflict'],
});

/** Which card a subtask that the caller may see is on, and whether that card's board is deleted. */
export const findSubtask = defineRequest(
  'card.find-subtask',
  caller.extend({ subtask_id: uuid }),
  z.object({ subtask_id: uuid, card_id: uuid, board_deleted: z.boolean() }),
  [],
  ['attachment'],
);
