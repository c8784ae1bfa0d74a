import type { restoreColumn as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { writeColumn } from '../writing/column.ts';

/** Brings an archived column back to where it stood; one that is active stays as it is. */
export const restoreColumn =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  (request) =>
    writeColumn(db, request, () => ({ archived_at: null }));
