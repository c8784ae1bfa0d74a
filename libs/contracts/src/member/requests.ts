import { z } from 'zod';
import { caller, defineRequest } from '../bus/request.ts';
import { card } from '../card/resource.ts';
import { uuid } from '../scalars.ts';
import { boardMember } from './resource.ts';

const ofBoard = caller.extend({ board_id: uuid, member_user_id: uuid });
const ofCard = caller.extend({ card_id: uuid, assignee_user_id: uuid });

/** Desired state: the user is a member of the board. */
export const putBoardMember = defineRequest('card.put-board-member', ofBoard, boardMember);
export const deleteBoardMember = defineRequest(
  'card.delete-board-member',
  ofBoard,
  z.object({ deleted: z.literal(true) }),
);

/** Desired state: the card is assigned to the user. */
export const putAssignee = defineRequest('card.put-assignee', ofCard, card, ['conflict']);
export const deleteAssignee = defineRequest('card.delete-assignee', ofCard, card, ['conflict']);
