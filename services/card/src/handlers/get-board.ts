import { type getBoard as contract, notFound } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { findBoard, toBoard } from '../store/boards.ts';

/** Reads a board. */
export const getBoard =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ board_id, ...caller }) => {
    const board = await db.read((tx) => findBoard(tx, caller, board_id));
    if (!board) throw notFound('Board');
    return toBoard(board);
  };
