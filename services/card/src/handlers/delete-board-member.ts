import { type deleteBoardMember as contract, notFound } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { deleteMember } from '../store/board-members.ts';
import { lockBoard } from '../store/boards.ts';

/** Ends a user's membership of a board. Repeating it changes nothing. */
export const deleteBoardMember =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  ({ board_id, member_user_id, ...caller }) =>
    db.transaction(async (tx) => {
      if (!(await lockBoard(tx, caller, board_id))) throw notFound('Board');
      await deleteMember(tx, caller.workspace_id, board_id, member_user_id);
      return { deleted: true } as const;
    });
