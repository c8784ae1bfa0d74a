import type { Caller } from '@cardinal/contracts';
import type { OpenPage } from '@cardinal/runtime';
import { sql } from 'kysely';
import { type RowOf, readPageAfter } from '../rows.ts';
import type { Reader, Tx } from '../store/database.ts';
import { boardVisibleTo } from '../store/visibility.ts';

export type BoardRow = RowOf<'boards'>;

/** Who asks for a board; whoever manages it as an admin finds it also where they do not see it. */
type Asker = Caller & { is_admin?: boolean };

/** Boards that the caller sees; a deleted one is gone for everybody (api-decisions, "Boards, columns…"). */
const boards = (tx: Reader, { workspace_id, user_id, is_admin = false }: Asker) =>
  tx
    .selectFrom('boards')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where('deleted_at', 'is', null)
    .$if(!is_admin, (query) => query.where(boardVisibleTo(user_id)));

/** Reads a board that is not deleted and that the caller sees. */
export const findBoard = (tx: Reader, caller: Asker, id: string): Promise<BoardRow | undefined> =>
  boards(tx, caller).where('id', '=', id).executeTakeFirst();

/** Of the boards named, those that the caller sees. */
export const boardsSeen = async (tx: Reader, caller: Caller, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const seen = await boards(tx, caller)
    .clearSelect()
    .select('id')
    .where(sql<boolean>`id = any (${[...ids]}::uuid[])`)
    .execute();
  return new Set(seen.map((board) => board.id));
};

/**
 * Locks a board, before any of its columns (see `lockColumns`). Who sees it is asked in a statement of its own: one that
 * waited for the lock would still see the former members.
 */
export async function lockBoard(tx: Tx, caller: Asker, id: string): Promise<BoardRow | undefined> {
  await tx
    .selectFrom('boards')
    .select('id')
    .where('workspace_id', '=', caller.workspace_id)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute();
  return findBoard(tx, caller, id);
}

/** Reads a page of boards in the order in which they were made: their ids are ordered by time. */
export const listBoards = (
  tx: Reader,
  caller: Caller,
  archived: boolean,
  { limit, after }: OpenPage<[id: string]>,
): Promise<BoardRow[]> =>
  readPageAfter(tx, boards(tx, caller).where('archived_at', archived ? 'is not' : 'is', null), 'id', {
    limit,
    after: after?.[0],
  });
