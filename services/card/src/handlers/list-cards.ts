import { type listCards as contract, notFound } from '@cardinal/contracts';
import { openPage } from '@cardinal/runtime';
import { findBoard } from '../boards/queries.ts';
import { cursorOf, resumeAfter } from '../domain/list-cursor.ts';
import type { Handler, Parts } from '../parts.ts';
import { listCards as read } from '../store/card-list.ts';
import { toCard } from '../store/card-rows.ts';
import { readCursorState, spotKeys } from '../store/cursor-state.ts';

/** Of the column, then of the card. */
const keys = [...spotKeys, ...spotKeys] as const;

/** Lists the cards of a board by column, then by position. */
export const listCards =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ workspace_id, user_id, board_id, filters, page: asked }) => {
    const page = openPage(['cards', workspace_id, board_id, Object.entries(filters).sort()], keys, asked);
    const rows = await db.read(async (tx) => {
      if (!(await findBoard(tx, { workspace_id, user_id }, board_id))) throw notFound('Board');
      const last = page.after && cursorOf(page.after);
      const after = last && resumeAfter(last, await readCursorState(tx, workspace_id, board_id, last));
      return read(tx, { workspaceId: workspace_id, boardId: board_id, filters, after, limit: page.limit });
    });
    return page.cut(rows, toCard, (row) => [
      ...([row.column_id, row.column_position, row.column_version] as const),
      ...([row.id, row.position, row.version] as const),
    ]);
  };
