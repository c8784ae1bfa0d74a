import { deleteBoard } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { boardId } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteBoardEndpoint = write({
  method: 'DELETE',
  path: '/boards/:board_id',
  operationId: 'deleteBoard',
  tag: 'Boards',
  summary: 'Delete a board',
  description: 'The board leaves every listing. Its cards still answer by id and by identifier, and take no writes.',
  scope: 'kanban:admin',
  requires: ['If-Match'],
  params: boardId,
  reply: deleted,
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(deleteBoard, { ...by, ...params, if_match: ifMatch }),
});
