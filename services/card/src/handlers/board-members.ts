import type * as contracts from '@cardinal/contracts';
import { notFound } from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import { checkRoom } from '../domain/bounds.ts';
import type { Handler, Parts } from '../parts.ts';
import { countMembers, deleteMember, findMember, listMembers, putMember, toMember } from '../store/board-members.ts';
import { findBoard, lockBoard } from '../store/boards.ts';
import { permitManaging } from '../writing/board.ts';

/**
 * Makes a user a member of a board in a role, who sees it also while it is private. Repeating it changes nothing; another
 * role takes the place of the former.
 * @throws CardinalError `not_found`, `insufficient_scope`, `conflict` where the board has as many members as may be
 */
export const putBoardMember =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contracts.putBoardMember> =>
  ({ board_id, member_user_id: user_id, body: { role }, ...caller }) =>
    db.transaction(async (tx) => {
      const board = await lockBoard(tx, caller, board_id);
      if (!board) throw notFound('Board');
      await permitManaging(tx, caller, board);
      const { workspace_id } = caller;
      if (!(await findMember(tx, workspace_id, board_id, user_id))) {
        checkRoom('members of a board', await countMembers(tx, workspace_id, board_id));
      }
      return toMember(await putMember(tx, { workspace_id, board_id, user_id, role, created_at: new Date() }));
    });

/** Ends a user's membership of a board. Repeating it changes nothing. */
export const deleteBoardMember =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contracts.deleteBoardMember> =>
  ({ board_id, member_user_id, ...caller }) =>
    db.transaction(async (tx) => {
      const board = await lockBoard(tx, caller, board_id);
      if (!board) throw notFound('Board');
      await permitManaging(tx, caller, board);
      await deleteMember(tx, caller.workspace_id, board_id, member_user_id);
      return { deleted: true } as const;
    });

/** Lists the members of a board in the order of their user ids. */
export const listBoardMembers =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contracts.listBoardMembers> =>
  async ({ board_id, page: asked, ...caller }) => {
    const page = openPage(['board-members', caller.workspace_id, board_id], [sortKey.id], asked);
    const rows = await db.read(async (tx) => {
      if (!(await findBoard(tx, caller, board_id))) throw notFound('Board');
      return listMembers(tx, caller.workspace_id, board_id, page);
    });
    return page.cut(rows, toMember, (row) => [row.user_id]);
  };
