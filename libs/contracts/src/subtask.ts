import { z } from 'zod';
import { caller, defineEvent, defineRequest } from './bus.ts';
import { operation } from './operation.ts';
import { changed, created, deleted, listed, versioned } from './response.ts';
import { notEmpty, position, timestamp, trimmedText, uuid, version } from './scalars.ts';

/** What a subtask shows of the file linked to it. */
export const linkedFile = z.object({ id: uuid, name: z.string() }).meta({ id: 'LinkedFile' });

export const subtask = z
  .object({
    id: uuid,
    type: z.literal('subtask'),
    version,
    card_id: uuid,
    title: z.string(),
    completed_at: timestamp.nullable(),
    position: z.number(),
    linked_file: linkedFile.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Subtask' });
export type Subtask = z.infer<typeof subtask>;

const title = trimmedText(240);

export const createSubtaskBody = z.strictObject({ title });

/** Where it goes among the subtasks of its card: as for cards, at most one way to name the place. */
export const patchSubtaskBody = z
  .strictObject({
    title: title.optional(),
    completed: z.boolean().optional(),
    before_subtask_id: uuid.optional(),
    after_subtask_id: uuid.optional(),
    position: position.optional(),
  })
  .refine(...notEmpty)
  .refine(
    (body) =>
      [body.before_subtask_id, body.after_subtask_id, body.position].filter((place) => place !== undefined).length <= 1,
    'must name at most one of before_subtask_id, after_subtask_id and position',
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
  reply: listed(subtask),
});

export const getSubtask = operation({
  id: 'getSubtask',
  service: 'card',
  method: 'GET',
  path: '/subtasks/:subtask_id',
  tag: 'Subtasks',
  summary: 'Read a subtask',
  reply: versioned(subtask),
});

export const patchSubtask = operation({
  id: 'patchSubtask',
  service: 'card',
  method: 'PATCH',
  path: '/subtasks/:subtask_id',
  tag: 'Subtasks',
  summary: 'Rename, complete, reopen or place a subtask',
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
