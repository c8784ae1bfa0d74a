import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { boardVisibleTo } from './visibility.ts';

/** A column and what its board says about new cards in it. */
export interface ColumnWithBoard {
  id: string;
  board_id: string;
  archived_at: Date | null;
  board_archived_at: Date | null;
  default_workstream_id: string | null;
  /** Those of the users asked about who see the board. */
  seen_by: string[];
}

/**
 * Reads columns together with their boards.
 * @param userIds those who ask for the columns
 * @returns those that exist on a board that is not deleted
 */
export const selectColumnsWithBoards = (
  tx: Reader,
  workspaceId: string,
  ids: readonly string[],
  userIds: readonly string[],
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
      sql<string[]>`array(
        select asking.id from unnest(${userIds}::uuid[]) as asking (id) where ${boardVisibleTo(sql.ref('asking.id'))}
      )`.as('seen_by'),
    ])
    .where('columns.workspace_id', '=', workspaceId)
    .where('columns.id', 'in', ids)
    .where('boards.deleted_at', 'is', null)
    .execute();
