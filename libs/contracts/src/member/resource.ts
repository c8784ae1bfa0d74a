import { z } from 'zod';
import { timestamp, uuid } from '../scalars.ts';

/** An owner manages the board as its creator does: its members and its visibility. */
const role = z.enum(['member', 'owner']).default('member');

/** A user who sees a private board besides its creator. */
export const boardMember = z.object({ board_id: uuid, user_id: uuid, role, created_at: timestamp });
export type BoardMember = z.infer<typeof boardMember>;

export const putBoardMemberBody = z.strictObject({ role });
