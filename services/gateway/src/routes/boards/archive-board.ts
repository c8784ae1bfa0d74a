import { archiveBoard, board } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { boardId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const archiveBoardEndpoint = write({
  method: 'POST',
  path: '/boards/:board_id/archive',
  operationId: 'archiveBoard',
  tag: 'Boards',
  summary: 'Archive a board',
  description: 'An archived board takes no new columns or cards; its cards stay editable.',
  requires: ['If-Match', 'Idempotency-Key'],
  params: boardId,
  reply: changed(board),
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(archiveBoard, { ...by, ...params, if_match: ifMatch }),
});
