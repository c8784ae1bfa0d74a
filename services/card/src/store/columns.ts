import type { Caller, Column } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import type { Insertable, Selectable } from 'kysely';
import { NIL } from 'uuid';
import { lockBoard } from './boards.ts';
import type { Reader, Tables, Tx } from './database.ts';
import { lockColumns } from './positions.ts';

export type ColumnRow = Selectable<Tables['columns']>;

/** Reads a column, whoever sees its board. */
export const findColumn = (tx: Reader, workspaceId: string, id: string): Promise<ColumnRow | undefined> =>
  tx.selectFrom('columns').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id).executeTakeFirst();

/**
 * Locks a column of a board that the caller sees. The board's row is locked first: it guards the order of its columns.
 * An unknown column takes the queries that a hidden one takes.
 */
export async function lockColumn(tx: Tx, caller: Caller, id: string): Promise<ColumnRow | undefined> {
  const found = await findColumn(tx, caller.workspace_id, id);
  if (!(await lockBoard(tx, caller, found?.board_id ?? NIL))) return undefined;
  const [column] = await lockColumns(tx, caller.workspace_id, [id]);
  return column;
}

/** How many columns a board has, archived ones too. Whoever holds its row lock counts the last state of them. */
export const countColumns = async (tx: Tx, workspaceId: string, boardId: string): Promise<number> => {
  const { count } = await tx
    .selectFrom('columns')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('board_id', '=', boardId)
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Writes a new column. */
export const insertColumn = (tx: Tx, row: Insertable<Tables['columns']>): Promise<ColumnRow> =>
  tx.insertInto('columns').values(row).returningAll().executeTakeFirstOrThrow();

/** Writes what changed of a locked column. */
export const saveColumn = (tx: Tx, row: ColumnRow): Promise<ColumnRow> =>
  tx
    .updateTable('columns')
    .set({
      version: row.version,
      name: row.name,
      position: row.position,
      archived_at: row.archived_at,
      updated_at: row.updated_at,
    })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The columns of a board from its start. */
const columnsOf = (tx: Reader, workspaceId: string, boardId: string, archived: boolean) =>
  tx
    .selectFrom('columns')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('board_id', '=', boardId)
    .where('archived_at', archived ? 'is not' : 'is', null)
    .orderBy('position');

/**
 * Reads a page of the columns of a board from its start.
 * @param afterPosition where the page before ended
 */
export const listColumns = (
  tx: Reader,
  workspaceId: string,
  boardId: string,
  { archived, afterPosition, limit }: { archived: boolean; afterPosition: number | undefined; limit: number },
): Promise<ColumnRow[]> =>
  readPageRows(
    tx,
    columnsOf(tx, workspaceId, boardId, archived).$if(afterPosition !== undefined, (query) =>
      query.where('position', '>', afterPosition as number),
    ),
    { limit },
  );

/** The first column of a board that is not archived. */
export const firstActiveColumn = (tx: Reader, workspaceId: string, boardId: string): Promise<ColumnRow | undefined> =>
  columnsOf(tx, workspaceId, boardId, false).limit(1).executeTakeFirst();

/** The column as clients see it. */
export const toColumn = (row: ColumnRow): Column => ({
  id: row.id,
  type: 'column',
  version: row.version,
  board_id: row.board_id,
  name: row.name,
  position: row.position,
  archived_at: row.archived_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
