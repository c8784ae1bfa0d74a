import type { Board, Caller } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Reader, Tables, Tx } from './database.ts';
import { boardVisibleTo } from './visibility.ts';

export type BoardRow = Selectable<Tables['boards']>;

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

/** Writes a new board. */
export const insertBoard = (tx: Tx, row: Insertable<Tables['boards']>): Promise<BoardRow> =>
  tx.insertInto('boards').values(row).returningAll().executeTakeFirstOrThrow();

/** Writes what changed of a locked board. */
export const saveBoard = (tx: Tx, row: BoardRow): Promise<BoardRow> =>
  tx
    .updateTable('boards')
    .set({
      version: row.version,
      name: row.name,
      visibility: row.visibility,
      default_workstream_id: row.default_workstream_id,
      archived_at: row.archived_at,
      deleted_at: row.deleted_at,
      updated_at: row.updated_at,
    })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Reads a page of boards in the order in which they were made: their ids are ordered by time. */
export const listBoards = (
  tx: Reader,
  caller: Caller,
  archived: boolean,
  { limit, after }: OpenPage<[id: string]>,
): Promise<BoardRow[]> =>
  readPageRows(
    tx,
    boards(tx, caller)
      .where('archived_at', archived ? 'is not' : 'is', null)
      .$if(after !== undefined, (query) => query.where('id', '>', after?.[0] as string))
      .orderBy('id'),
    { limit },
  );

/** The board as clients see it. */
export const toBoard = (row: BoardRow): Board => ({
  id: row.id,
  type: 'board',
  version: row.version,
  name: row.name,
  // The table's check constraint admits no other value.
  visibility: row.visibility as Board['visibility'],
  default_workstream_id: row.default_workstream_id,
  archived_at: row.archived_at?.toISOString() ?? null,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
