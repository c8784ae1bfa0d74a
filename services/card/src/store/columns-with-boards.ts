import type { Caller } from '@cardinal/contracts';
import type { Reader } from './database.ts';
import { boardVisibleTo } from './visibility.ts';

/** Reads a column together with what its board says about new cards; undefined where the caller does not see it. */
export const findColumnWithBoard = (tx: Reader, { workspace_id, user_id }: Caller, id: string) =>
  tx
    .selectFrom('columns')
    .innerJoin('boards', (join) =>
      join.onRef('boards.workspace_id', '=', 'columns.workspace_id').onRef('boards.id', '=', 'columns.board_id'),
    )
    .select(['columns.archived_at', 'columns.top'])
    .select(['boards.archived_at as board_archived_at', 'boards.default_workstream_id'])
    .where('columns.workspace_id', '=', workspace_id)
    .where('columns.id', '=', id)
    .where('boards.deleted_at', 'is', null)
    .where(boardVisibleTo(user_id))
    .executeTakeFirst();
