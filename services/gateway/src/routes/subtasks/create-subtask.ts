import { createSubtask, createSubtaskBody, subtask } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { cardId } from '../../endpoint/queries.ts';
import { created } from '../../endpoint/replies.ts';

export const createSubtaskEndpoint = write({
  method: 'POST',
  path: '/cards/:card_id/subtasks',
  operationId: 'createSubtask',
  tag: 'Subtasks',
  summary: 'Create a subtask, the last of its card',
  requires: ['Idempotency-Key'],
  params: cardId,
  body: createSubtaskBody,
  reply: created(subtask, 'subtasks'),
  answer: ({ bus, by, params, body }) => bus.fetch(createSubtask, { ...by, ...params, body }),
});
