import { type putBoardMember as contract, notFound } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { putMember } from '../store/board-members.ts';
import { lockBoard } from '../store/boards.ts';

/** Makes a user a member of a board, who sees it also while it is private. Repeating it changes nothing. */
export const putBoardMember =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  ({ board_id, member_user_id: user_id, ...caller }) =>
    db.transaction(async (tx) => {
      if (!(await lockBoard(tx, caller, board_id))) throw notFound('Board');
      const { workspace_id } = caller;
      const { created_at } = await putMember(tx, { workspace_id, board_id, user_id, created_at: new Date() });
      return { board_id, user_id, created_at: created_at.toISOString() };
    });
