import type { Caller } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { sql } from 'kysely';
import { boards, type Reader, type RowOf, type Tx } from '../database.ts';

/**
 * Whether a user sees a row of `boards` and everything on it (CONTRACT 2.4): the whole workspace
 * sees it, or it is private and the user made it or is a member. The one place where the rule stands.
 */
const rule = `(
    boards.visibility = 'workspace'
    or boards.created_by = :user
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = :user
    ))`;

/** The rule in a statement's text. @param user the column that holds the user */
export const visibleTo = (user: string): string => rule.replaceAll(':user', user);

/** The rule in a query. @param userId a user */
export const boardVisibleTo = (userId: string) => {
  const parts = rule.split(':user').map((part) => sql.raw(part));
  return sql<boolean>`${sql.join(parts, sql`${userId}::uuid`)}`;
};

export type BoardRow = RowOf<'boards'>;

/** The caller; an admin who manages a board finds it even without being a member. */
type Asker = Caller & { is_admin?: boolean };

/** Boards that the caller sees; a deleted one is gone for all callers (CONTRACT 6.1). */
export const seenBoards = (tx: Reader, { workspace_id, user_id, is_admin = false }: Asker) =>
  boards
    .in(tx, workspace_id)
    .where('deleted_at', 'is', null)
    .$if(!is_admin, (query) => query.where(boardVisibleTo(user_id)));

/** Reads a board that is not deleted and that the caller sees. */
export const findBoard = (tx: Reader, caller: Asker, id: string): Promise<BoardRow | undefined> =>
  seenBoards(tx, caller).where('id', '=', id).executeTakeFirst();

/** Of the boards named, those that the caller sees. */
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
 * Which of the users see which boards, deleted ones too: users who saw a board still see its events.
 * $1 the workspace, $2 the boards and $3 the users, as JSON arrays
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
 * Locks a board, before any of its columns (README, "Locks"). Check who sees it in a later statement: one that waited
 * for the lock would still see the former members.
 */
export const lockBoard = async (tx: Tx, caller: Asker, id: string): Promise<BoardRow | undefined> => {
  await boards.lock(tx, caller.workspace_id, id);
  return findBoard(tx, caller, id);
};
