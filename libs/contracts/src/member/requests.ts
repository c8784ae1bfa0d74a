import { z } from 'zod';
import { asAdmin, caller, defineRequest, pageReply, pageRequest } from '../bus/request.ts';
import { card } from '../card/resource.ts';
import { uuid } from '../scalars.ts';
import { boardMember, putBoardMemberBody } from './resource.ts';

const ofBoard = caller.extend({ board_id: uuid, ...asAdmin });
const one = ofBoard.extend({ member_user_id: uuid });
const ofCard = caller.extend({ card_id: uuid, assignee_user_id: uuid });

/**
 * Desired state: the user is a member of the board, in this role. By who manages the board: its creator, its owners, and
 * admins, who manage every board of the workspace, also one that they do not see.
 */
export const putBoardMember = defineRequest(
  'card.put-board-member',
  one.extend({ body: putBoardMemberBody.prefault({}) }),
  boardMember,
  ['insufficient_scope', 'conflict'],
);
/** By who manages the board. */
export const deleteBoardMember = defineRequest(
  'card.delete-board-member',
  one,
  z.object({ deleted: z.literal(true) }),
  ['insufficient_scope'],
);
/** In the order of user ids, for everyone who sees the board and for admins; its creator needs no membership. */
export const listBoardMembers = defineRequest(
  'card.list-board-members',
  ofBoard.extend({ page: pageRequest }),
  pageReply(boardMember),
);

/** Desired state: the card is assigned to the user. */
export const putAssignee = defineRequest('card.put-assignee', ofCard, card, ['conflict']);
export const deleteAssignee = defineRequest('card.delete-assignee', ofCard, card, ['conflict']);
