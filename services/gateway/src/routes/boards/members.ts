import {
  boardMember,
  deleteBoardMember,
  listBoardMembers,
  pageQuery,
  putBoardMember,
  putBoardMemberBody,
} from '@cardinal/contracts';
import { desire, read } from '../../endpoint/endpoint.ts';
import { boardId, memberOfBoard, splitPage } from '../../endpoint/queries.ts';
import { deleted, listed, unversioned } from '../../endpoint/replies.ts';

const managers = 'By the board’s creator, its owners and `kanban:admin`; for others who see the board: 403.';

export const putMemberEndpoint = desire({
  method: 'PUT',
  path: '/boards/:board_id/members/:user_id',
  operationId: 'putBoardMember',
  tag: 'Boards',
  summary: 'Make a user a member of a board, in a role',
  description: `A private board is seen by its creator and its members only. Without a body, or without a role in it, the role is \`member\`, also for who was an owner. ${managers}`,
  params: memberOfBoard,
  body: putBoardMemberBody.prefault({}),
  reply: unversioned(boardMember),
  answer: ({ bus, by, isAdmin, params: { board_id, user_id }, body }) =>
    bus.fetch(putBoardMember, { ...by, is_admin: isAdmin, board_id, member_user_id: user_id, body }),
});

export const deleteMemberEndpoint = desire({
  method: 'DELETE',
  path: '/boards/:board_id/members/:user_id',
  operationId: 'deleteBoardMember',
  tag: 'Boards',
  summary: 'End a user’s membership of a board',
  description: managers,
  params: memberOfBoard,
  reply: deleted,
  answer: ({ bus, by, isAdmin, params: { board_id, user_id } }) =>
    bus.fetch(deleteBoardMember, { ...by, is_admin: isAdmin, board_id, member_user_id: user_id }),
});

export const listMembersEndpoint = read({
  path: '/boards/:board_id/members',
  operationId: 'listBoardMembers',
  tag: 'Boards',
  summary: 'List the members of a board',
  description: 'For everyone who sees the board, and `kanban:admin`. Its creator needs no membership.',
  params: boardId,
  query: pageQuery,
  reply: listed(boardMember),
  answer: ({ bus, by, isAdmin, params, query }) =>
    bus.fetch(listBoardMembers, { ...by, is_admin: isAdmin, ...params, page: splitPage(query).page }),
});
