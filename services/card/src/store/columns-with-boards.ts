import type { Reader } from './database.ts';

/** A column and what its board says about new cards in it. */
export interface ColumnWithBoard {
  id: string;
  board_id: string;
  archived_at: Date | null;
  board_archived_at: Date | null;
  default_workstream_id: string | null;
}

/**
 * Reads columns together with their boards.
 * @returns those that exist on a board that is not deleted
 */
export const selectColumnsWithBoards = (
  tx: Reader,
  workspaceId: string,
  ids: readonly string[],
): Promise<ColumnWithBoard[]> =>
  tx
    .selectFrom('columns')
    .innerJoin('boards', (join) =>
      join.onRef('boards.workspace_id', '=', 'columns.workspace_id').onRef('boards.id', '=', 'columns.board_id'),
    )
    .select([
      'columns.id',
      'columns.board_id',
      'columns.archived_at',
      'boards.archived_at as board_archived_at',
      'boards.default_workstream_id',
    ])
    .where('columns.workspace_id', '=', workspaceId)
    .where('columns.id', 'in', ids)
    .where('boards.deleted_at', 'is', null)
    .execute();
