import type { deleteBoard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { softDeleteBoard } from '../writing/board.ts';

/** Deletes a board; its cards still answer by id and identifier and take no more writes. */
export const deleteBoard =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  (request) =>
    softDeleteBoard(db, request);
