import { deleteBoardMember } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { memberOfBoard } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteMemberEndpoint = desire({
  method: 'DELETE',
  path: '/boards/:board_id/members/:user_id',
  operationId: 'deleteBoardMember',
  tag: 'Boards',
  summary: 'End a user’s membership of a board',
  params: memberOfBoard,
  reply: deleted,
  answer: ({ bus, by, params: { board_id, user_id } }) =>
    bus.call(deleteBoardMember, { ...by, board_id, member_user_id: user_id }),
});
