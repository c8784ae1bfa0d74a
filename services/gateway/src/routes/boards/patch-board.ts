import { board, patchBoard, patchBoardBody } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { boardId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const patchBoardEndpoint = write({
  method: 'PATCH',
  path: '/boards/:board_id',
  operationId: 'patchBoard',
  tag: 'Boards',
  summary: 'Edit a board',
  description: 'Its visibility is changed by its creator, its owners and `kanban:admin` only; for others: 403.',
  requires: ['If-Match'],
  params: boardId,
  body: patchBoardBody,
  reply: changed(board),
  answer: ({ bus, by, isAdmin, params, ifMatch, body }) =>
    bus.fetch(patchBoard, { ...by, is_admin: isAdmin, ...params, if_match: ifMatch, body }),
});
