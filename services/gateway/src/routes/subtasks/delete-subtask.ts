import { deleteSubtask } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { subtaskId } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteSubtaskEndpoint = write({
  method: 'DELETE',
  path: '/subtasks/:subtask_id',
  operationId: 'deleteSubtask',
  tag: 'Subtasks',
  summary: 'Delete a subtask',
  requires: ['If-Match'],
  params: subtaskId,
  reply: deleted,
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(deleteSubtask, { ...by, ...params, if_match: ifMatch }),
});
