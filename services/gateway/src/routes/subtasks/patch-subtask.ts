import { patchSubtask, patchSubtaskBody, subtask } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { subtaskId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const patchSubtaskEndpoint = write({
  method: 'PATCH',
  path: '/subtasks/:subtask_id',
  operationId: 'patchSubtask',
  tag: 'Subtasks',
  summary: 'Rename, complete, reopen or place a subtask',
  requires: ['If-Match'],
  params: subtaskId,
  body: patchSubtaskBody,
  reply: changed(subtask),
  answer: ({ bus, by, params, ifMatch, body }) =>
    bus.fetch(patchSubtask, { ...by, ...params, if_match: ifMatch, body }),
});
