import type { BoardMember } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import type { Selectable } from 'kysely';
import type { Reader, Tables, Tx } from './database.ts';

export type MemberRow = Selectable<Tables['board_members']>;

const members = (tx: Reader, workspaceId: string, boardId: string) =>
  tx.selectFrom('board_members').selectAll().where('workspace_id', '=', workspaceId).where('board_id', '=', boardId);

/** Reads a membership. */
export const findMember = (tx: Reader, workspaceId: string, boardId: string, userId: string) =>
  members(tx, workspaceId, boardId).where('user_id', '=', userId).executeTakeFirst();

/** How many members a board has. Whoever holds its row lock counts the last state of them. */
export const countMembers = async (tx: Tx, workspaceId: string, boardId: string): Promise<number> => {
  const { count } = await members(tx, workspaceId, boardId)
    .clearSelect()
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Makes a user a member of a board; one who is keeps the time since when. */
export const putMember = (tx: Tx, row: MemberRow): Promise<MemberRow> =>
  tx
    .insertInto('board_members')
    .values(row)
    .onConflict((on) => on.columns(['workspace_id', 'board_id', 'user_id']).doUpdateSet({ role: row.role }))
    .returningAll()
    .executeTakeFirstOrThrow();

/** Ends a membership, if there is one. */
export const deleteMember = async (tx: Tx, workspaceId: string, boardId: string, userId: string): Promise<void> => {
  await tx
    .deleteFrom('board_members')
    .where('workspace_id', '=', workspaceId)
    .where('board_id', '=', boardId)
    .where('user_id', '=', userId)
    .execute();
};

/** Reads members of a board in the order of their user ids. */
export const listMembers = (
  tx: Reader,
  workspaceId: string,
  boardId: string,
  { limit, after }: OpenPage<[userId: string]>,
): Promise<MemberRow[]> =>
  readPageRows(
    tx,
    members(tx, workspaceId, boardId)
      .$if(after !== undefined, (query) => query.where('user_id', '>', after?.[0] as string))
      .orderBy('user_id'),
    { limit },
  );

/** The member as clients see it. */
export const toMember = ({ board_id, user_id, role, created_at }: MemberRow): BoardMember => ({
  board_id,
  user_id,
  // The table's check constraint admits no other value.
  role: role as BoardMember['role'],
  created_at: created_at.toISOString(),
});
