import { type listColumns as contract, notFound } from '@cardinal/contracts';
import { openPage } from '@cardinal/runtime';
import { positionOf, spotOf } from '../domain/list-cursor.ts';
import type { Handler, Parts } from '../parts.ts';
import { findBoard } from '../store/boards.ts';
import { listColumns as read, toColumn } from '../store/columns.ts';
import { readColumnSpot, spotKeys } from '../store/cursor-state.ts';

/** Lists the columns of a board from its start. */
export const listColumns =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ workspace_id, user_id, board_id, archived, page: asked }) => {
    const page = openPage(['columns', workspace_id, board_id, archived], spotKeys, asked);
    const rows = await db.read(async (tx) => {
      if (!(await findBoard(tx, { workspace_id, user_id }, board_id))) throw notFound('Board');
      const last = page.after && spotOf(page.after);
      const afterPosition = last && positionOf(last, await readColumnSpot(tx, workspace_id, board_id, last.id));
      return read(tx, workspace_id, board_id, { archived, afterPosition, limit: page.limit });
    });
    return page.cut(rows, toColumn, (row) => [row.id, row.position, row.version]);
  };
