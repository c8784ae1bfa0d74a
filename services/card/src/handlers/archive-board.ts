import type { archiveBoard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { writeBoard } from '../writing/board.ts';

/** Archives a board; one that is archived stays as it is. */
export const archiveBoard =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  (request) =>
    writeBoard(db, request, (board, now) => ({ archived_at: board.archived_at ?? now }));
