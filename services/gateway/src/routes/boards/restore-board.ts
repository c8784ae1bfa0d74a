import { board, restoreBoard } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { boardId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const restoreBoardEndpoint = write({
  method: 'POST',
  path: '/boards/:board_id/restore',
  operationId: 'restoreBoard',
  tag: 'Boards',
  summary: 'Restore an archived board',
  requires: ['If-Match', 'Idempotency-Key'],
  params: boardId,
  reply: changed(board),
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(restoreBoard, { ...by, ...params, if_match: ifMatch }),
});
