import type { listBoards as contract } from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import type { Handler, Parts } from '../parts.ts';
import { listBoards as read, toBoard } from '../store/boards.ts';

/** Lists the boards that the caller sees, in the order in which they were made. */
export const listBoards =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ archived, page: asked, ...caller }) => {
    const page = openPage(['boards', caller.workspace_id, archived], [sortKey.id], asked);
    const rows = await db.read((tx) => read(tx, caller, archived, page));
    return page.cut(rows, toBoard, (row) => [row.id]);
  };
