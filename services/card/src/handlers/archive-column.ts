import type { archiveColumn as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { writeColumn } from '../writing/column.ts';

/** Archives a column, which takes no more cards from then on; one that is archived stays as it is. */
export const archiveColumn =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  (request) =>
    writeColumn(db, request, (column, now) => ({ archived_at: column.archived_at ?? now }));
