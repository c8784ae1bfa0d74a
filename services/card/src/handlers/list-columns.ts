import { type listColumns as contract, notFound } from '@cardinal/contracts';
import { z } from 'zod';
import type { Handler, Parts } from '../parts.ts';
import { findBoard } from '../store/boards.ts';
import { listColumns as read, toColumn } from '../store/columns.ts';
import { pageOf, readCursor } from '../store/page.ts';

const place = z.tuple([z.number()]);

/** Lists the columns of a board from its start. */
export const listColumns =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  ({ workspace_id, user_id, board_id, archived, page: { limit, cursor } }) =>
    db.read(async (tx) => {
      if (!(await findBoard(tx, { workspace_id, user_id }, board_id))) throw notFound('Board');
      const scope = ['columns', workspace_id, board_id, archived] as const;
      const [afterPosition] = readCursor(scope, cursor, place) ?? [];
      const rows = await read(tx, workspace_id, board_id, { archived, afterPosition, limit: limit + 1 });
      return pageOf(scope, rows, { limit, present: toColumn, cursorOf: (row) => [row.position] });
    });
