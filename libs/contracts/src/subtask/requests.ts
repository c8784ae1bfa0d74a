import { z } from 'zod';
import { caller, commandBy, defineRequest, ifMatch, outcomeOf, pageReply, pageRequest } from '../bus/request.ts';
import { uuid } from '../scalars.ts';
import { createSubtaskBody, patchSubtaskBody, subtask } from './resource.ts';

const versioned = commandBy.extend({ subtask_id: uuid, if_match: ifMatch });

/** A new subtask goes last. */
export const createSubtask = defineRequest(
  'card.create-subtask',
  commandBy.extend({ card_id: uuid, body: createSubtaskBody }),
  outcomeOf(subtask),
  ['conflict'],
);
export const getSubtask = defineRequest('card.get-subtask', caller.extend({ subtask_id: uuid }), subtask);
/** In order of position. */
export const listSubtasks = defineRequest(
  'card.list-subtasks',
  caller.extend({ card_id: uuid, page: pageRequest }),
  pageReply(subtask),
);
export const patchSubtask = defineRequest(
  'card.patch-subtask',
  versioned.extend({ body: patchSubtaskBody }),
  outcomeOf(subtask),
  ['validation_error', 'conflict'],
);
export const deleteSubtask = defineRequest('card.delete-subtask', versioned, z.object({ deleted: z.literal(true) }), [
  'conflict',
]);
