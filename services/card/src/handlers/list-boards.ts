import { type listBoards as contract, uuid } from '@cardinal/contracts';
import { z } from 'zod';
import type { Handler, Parts } from '../parts.ts';
import { listBoards as read, toBoard } from '../store/boards.ts';
import { pageOf, readCursor } from '../store/page.ts';

const place = z.tuple([uuid]);

/** Lists boards in the order in which they were made. */
export const listBoards =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ workspace_id, archived, page: { limit, cursor } }) => {
    const scope = ['boards', workspace_id, archived] as const;
    const [afterId] = readCursor(scope, cursor, place) ?? [];
    const rows = await db.read((tx) => read(tx, workspace_id, { archived, afterId, limit: limit + 1 }));
    return pageOf(scope, rows, { limit, present: toBoard, cursorOf: (row) => [row.id] });
  };
