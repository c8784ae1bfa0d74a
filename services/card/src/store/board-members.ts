import type { Selectable } from 'kysely';
import type { Tables, Tx } from './database.ts';

type MemberRow = Selectable<Tables['board_members']>;

/** Makes a user a member of a board; one who is keeps the time since when. */
export const putMember = async (tx: Tx, row: MemberRow): Promise<MemberRow> => {
  await tx
    .insertInto('board_members')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return tx
    .selectFrom('board_members')
    .selectAll()
    .where('workspace_id', '=', row.workspace_id)
    .where('board_id', '=', row.board_id)
    .where('user_id', '=', row.user_id)
    .executeTakeFirstOrThrow();
};

/** Ends a membership, if there is one. */
export const deleteMember = async (tx: Tx, workspaceId: string, boardId: string, userId: string): Promise<void> => {
  await tx
    .deleteFrom('board_members')
    .where('workspace_id', '=', workspaceId)
    .where('board_id', '=', boardId)
    .where('user_id', '=', userId)
    .execute();
};
