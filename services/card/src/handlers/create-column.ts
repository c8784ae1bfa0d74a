import { conflict, type createColumn as contract, notFound } from '@cardinal/contracts';
import { checkRoom } from '../domain/bounds.ts';
import type { Handler, Parts } from '../parts.ts';
import { lockBoard } from '../store/boards.ts';
import { countColumns, insertColumn, toColumn } from '../store/columns.ts';
import { positionAt } from '../store/positions.ts';
import { newRow } from '../writing/new-row.ts';
import { once } from '../writing/versioned.ts';

/** Makes a column, the last of its board (api-decisions, "Boards, columns…"). */
export const createColumn =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async (request) => {
    const { workspace_id, board_id, body } = request;
    const { response, replayed } = await db.transaction(async (tx) => {
      const board = await lockBoard(tx, request, board_id);
      if (!board) throw notFound('Board');
      return once(tx, request, async () => {
        if (board.archived_at) throw conflict('The board is archived');
        checkRoom('columns on a board', await countColumns(tx, workspace_id, board_id));
        const made = newRow();
        const list = { of: 'columns', workspaceId: workspace_id, parentId: board_id } as const;
        const position = await positionAt(tx, list, 'end', { id: made.id, position: undefined });
        if (position === undefined) throw new Error('A list always has an end');
        return toColumn(await insertColumn(tx, { ...made, ...body, workspace_id, board_id, position }));
      });
    });
    return { resource: response, replayed };
  };
