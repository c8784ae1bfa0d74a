import type { filterBoards as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { boardsSeen } from '../store/boards.ts';

/** Tells other services which of the boards that they hold ids of the caller sees. */
export const filterBoards =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ board_ids, ...caller }) => ({
    board_ids: [...(await db.read((tx) => boardsSeen(tx, caller, board_ids)))],
  });
