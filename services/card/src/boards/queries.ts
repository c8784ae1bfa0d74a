import type { Caller } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { sql } from 'kysely';
import { boards, type Reader, type RowOf, type Tx } from '../database.ts';

/**
 * A condition on a row of `boards`: the user sees the board and everything on it (CONTRACT 2.4). All users of the
 * workspace see a board of visibility `workspace`; its creator and its members see a private one. No other place has
 * this rule.
 */
const rule = `(
    boards.visibility = 'workspace'
    or boards.created_by = :user
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = :user
    ))`;

/** The rule of visibility (CONTRACT 2.4) as SQL text. @param user the column with the user's id */
export const visibleTo = (user: string): string => rule.replaceAll(':user', user);

/** The rule of visibility (CONTRACT 2.4) as a condition of a query. @param userId the user's id */
export const boardVisibleTo = (userId: string) => {
  const parts = rule.split(':user').map((part) => sql.raw(part));
  return sql<boolean>`${sql.join(parts, sql`${userId}::uuid`)}`;
};

export type BoardRow = RowOf<'boards'>;

/** A caller. With `is_admin`, the caller manages boards, and so finds boards that it does not see. */
type BoardCaller = Caller & { is_admin?: boolean };

/** Selects the boards that the caller sees. A deleted board is hidden from all callers (CONTRACT 6.1). */
export const seenBoards = (tx: Reader, { workspace_id, user_id, is_admin = false }: BoardCaller) =>
  boards
    .in(tx, workspace_id)
    .where('deleted_at', 'is', null)
    .$if(!is_admin, (query) => query.where(boardVisibleTo(user_id)));

/**
 * Selects the private boards that nobody but their creator sees, and the caller does not: the creator may have left. Admins take them
 * over.
 */
export const boardsWithoutMembers = (tx: Reader, { workspace_id, user_id }: Caller) =>
  boards
    .in(tx, workspace_id)
    .where('deleted_at', 'is', null)
    .where('visibility', '=', 'private')
    .where('created_by', '!=', user_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('board_members as member')
            .whereRef('member.workspace_id', '=', 'boards.workspace_id')
            .whereRef('member.board_id', '=', 'boards.id')
            .select('member.user_id'),
        ),
      ),
    );

/** Reads a board. @returns undefined where it is unknown, deleted or hidden from the caller */
export const findBoard = (tx: Reader, caller: BoardCaller, id: string): Promise<BoardRow | undefined> =>
  seenBoards(tx, caller).where('id', '=', id).executeTakeFirst();

/** Filters boards by visibility to the caller. @returns the ids of those that the caller sees */
export const boardsSeen = async (tx: Reader, caller: Caller, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const seen = await seenBoards(tx, caller)
    .clearSelect()
    .select('id')
    .where(sql<boolean>`id = any (${[...ids]}::uuid[])`)
    .execute();
  return new Set(seen.map((board) => board.id));
};

/**
 * Finds the users that see each board. Deleted boards count too, because users who saw a board still see its events.
 *
 * $1 the workspace, $2 the boards and $3 the users, as JSON arrays
 * @returns a row for each board that some of the users see
 */
export const seeBoards = prepared<{ board_id: string; user_ids: string[] }>(
  'see-boards',
  `select boards.id as board_id, array_agg(asked.user_id) as user_ids
from boards
cross join (select value::uuid as user_id from json_array_elements_text($3)) as asked
where boards.workspace_id = $1::uuid and boards.id = any (array(select value::uuid from json_array_elements_text($2)))
  and ${visibleTo('asked.user_id')}
group by boards.id`,
);

/**
 * Locks a board, before any of its columns (README, "Locks"), then reads it in a second statement. A statement that
 * waited for the lock would check visibility by the former members.
 * @returns the row; undefined where the board is unknown, deleted or hidden from the caller
 */
export const lockBoard = async (tx: Tx, caller: BoardCaller, id: string): Promise<BoardRow | undefined> => {
  await boards.lock(tx, caller.workspace_id, id);
  return findBoard(tx, caller, id);
};
