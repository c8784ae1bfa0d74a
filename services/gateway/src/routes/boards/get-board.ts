import { board, getBoard } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { boardId } from '../../endpoint/queries.ts';
import { versioned } from '../../endpoint/replies.ts';

export const getBoardEndpoint = read({
  path: '/boards/:board_id',
  operationId: 'getBoard',
  tag: 'Boards',
  summary: 'Read a board',
  params: boardId,
  reply: versioned(board),
  answer: ({ bus, by, params }) => bus.fetch(getBoard, { ...by, ...params }),
});
