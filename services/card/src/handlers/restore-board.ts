import type { restoreBoard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { writeBoard } from '../writing/board.ts';

/** Brings an archived board back; one that is active stays as it is. */
export const restoreBoard =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  (request) =>
    writeBoard(db, request, () => ({ archived_at: null }));
