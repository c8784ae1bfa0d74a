import * as contracts from '@cardinal/contracts';
import { type Caller, CardinalError, type EventType, requireFound } from '@cardinal/contracts';
import { appendChanges, type ChangeDetails, changeOf, countRows, readPageRows, resourceOf } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { checkRoom } from '../bounds.ts';
import type { ServiceContext } from '../context.ts';
import type { Reader, Tx } from '../database.ts';
import { type BoardRow, findBoard, lockBoard } from './queries.ts';

const toMember = resourceOf(contracts.boardMember);

const members = (tx: Reader, workspaceId: string, boardId: string) =>
  tx.selectFrom('board_members').selectAll().where('workspace_id', '=', workspaceId).where('board_id', '=', boardId);

/**
 * Serves the requests on the members of boards (CONTRACT 6.2). Members see private boards, and owners also manage them.
 */
export const serveBoardMembers = ({ bus, db, feed, now }: ServiceContext): void => {
  bus.serve(contracts.putBoardMember, async ({ board_id, member_user_id: user_id, body: { role }, ...caller }) => {
    const put = await db.transaction(async (tx) => {
      const { workspace_id } = await lockManaged(tx, caller, board_id);
      const known = await members(tx, workspace_id, board_id).where('user_id', '=', user_id).executeTakeFirst();
      if (!known) checkRoom('members of a board', await countRows(members(tx, workspace_id, board_id)));
      // An existing member keeps the time of joining.
      const member = await tx
        .insertInto('board_members')
        .values({ workspace_id, board_id, user_id, role: role ?? 'member', created_at: now() })
        .onConflict((on) =>
          on
            .columns(['workspace_id', 'board_id', 'user_id'])
            .doUpdateSet(({ ref }) => ({ role: role ?? ref('board_members.role') })),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      const [before, data] = [known && toMember(known), toMember(member)];
      const event = memberEvent('member.added', caller, now(), { board_id, user_id, before, data });
      await appendChanges(tx, workspace_id, [changeOf(event)]);
      return data;
    });
    feed.nudge(caller.workspace_id);
    return put;
  });

  bus.serve(contracts.deleteBoardMember, async ({ board_id, member_user_id, ...caller }) => {
    await db.transaction(async (tx) => {
      const { workspace_id } = await lockManaged(tx, caller, board_id);
      const member = { workspace_id, board_id, user_id: member_user_id };
      const { numDeletedRows } = await tx
        .deleteFrom('board_members')
        .where(({ and }) => and(member))
        .executeTakeFirst();
      if (numDeletedRows === 0n) return;
      const event = memberEvent('member.removed', caller, now(), { ...member, data: null });
      await appendChanges(tx, workspace_id, [changeOf(event)]);
    });
    feed.nudge(caller.workspace_id);
    return { deleted: true } as const;
  });

  bus.serve(contracts.listBoardMembers, async ({ board_id, page: asked, ...caller }) => {
    const page = openPage(['board-members', caller.workspace_id, board_id], [sortKey.id], asked);
    const rows = await db.read(async (tx) => {
      requireFound('Board', await findBoard(tx, caller, board_id));
      const all = members(tx, caller.workspace_id, board_id);
      return readPageRows(tx, all, { by: ['user_id'], ...page });
    });
    return page.cut(rows, toMember, (row) => [row.user_id]);
  });
};

interface Membership {
  board_id: string;
  user_id: string;
  before?: object | undefined;
  data: object | null;
}

const memberEvent = (
  type: EventType,
  by: Caller,
  at: Date,
  { board_id, user_id, before, data }: Membership,
): ChangeDetails => ({
  type,
  by,
  at,
  subject: { type: 'member', id: user_id },
  boardId: board_id,
  data,
  ...(before && { before }),
});

type Manager = Caller & { is_admin: boolean };

/** Locks a board that the caller manages. @returns its row @throws CardinalError `not_found`, `insufficient_scope` */
const lockManaged = async (tx: Tx, caller: Manager, boardId: string): Promise<BoardRow> => {
  const board = requireFound('Board', await lockBoard(tx, caller, boardId));
  await permitManaging(tx, caller, board);
  return board;
};

/**
 * Checks that a caller manages a locked board (CONTRACT 6.2): the caller is its creator, an owner, or an admin.
 * @throws CardinalError `insufficient_scope`
 */
export const permitManaging = async (
  tx: Tx,
  { workspace_id, user_id, is_admin }: Manager,
  { id, created_by }: BoardRow,
): Promise<void> => {
  if (is_admin || created_by === user_id) return;
  const member = await members(tx, workspace_id, id).where('user_id', '=', user_id).executeTakeFirst();
  if (member?.role === 'owner') return;
  throw new CardinalError(
    'insufficient_scope',
    'Only the creator of a board, its owners and kanban:admin change its visibility and its members',
  );
};
