import { boardMember, putBoardMember } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { memberOfBoard } from '../../endpoint/queries.ts';
import { unversioned } from '../../endpoint/replies.ts';

export const putMemberEndpoint = desire({
  method: 'PUT',
  path: '/boards/:board_id/members/:user_id',
  operationId: 'putBoardMember',
  tag: 'Boards',
  summary: 'Make a user a member of a board',
  description: 'A private board is seen by its creator and its members only.',
  params: memberOfBoard,
  reply: unversioned(boardMember),
  answer: ({ bus, by, params: { board_id, user_id } }) =>
    bus.call(putBoardMember, { ...by, board_id, member_user_id: user_id }),
});
