import { type listBoards as contract, uuid } from '@cardinal/contracts';
import { z } from 'zod';
import type { Handler, Parts } from '../parts.ts';
import { listBoards as read, toBoard } from '../store/boards.ts';
import { pageOf, readCursor } from '../store/page.ts';

const place = z.tuple([uuid]);

/** Lists the boards that the caller sees, in the order in which they were made. */
export const listBoards =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ archived, page: { limit, cursor }, ...caller }) => {
    const scope = ['boards', caller.workspace_id, archived] as const;
    const [afterId] = readCursor(scope, cursor, place) ?? [];
    const rows = await db.read((tx) => read(tx, caller, { archived, afterId, limit: limit + 1 }));
    return pageOf(scope, rows, { limit, present: toBoard, cursorOf: (row) => [row.id] });
  };
