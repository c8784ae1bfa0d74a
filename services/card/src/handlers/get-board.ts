import { type getBoard as contract, notFound } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { findBoard, toBoard } from '../store/boards.ts';

/** Reads a board that is not deleted. */
export const getBoard =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ workspace_id, board_id }) => {
    const board = await db.read((tx) => findBoard(tx, workspace_id, board_id));
    if (!board) throw notFound('Board');
    return toBoard(board);
  };
