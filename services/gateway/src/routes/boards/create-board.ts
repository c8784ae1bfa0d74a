import { board, createBoard, createBoardBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { created } from '../../endpoint/replies.ts';

export const createBoardEndpoint = write({
  method: 'POST',
  path: '/boards',
  operationId: 'createBoard',
  tag: 'Boards',
  summary: 'Create a board',
  requires: ['Idempotency-Key'],
  body: createBoardBody,
  reply: created(board, 'boards'),
  answer: ({ bus, by, body }) => bus.fetch(createBoard, { ...by, body }),
});
