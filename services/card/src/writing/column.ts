import type { archiveColumn } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import type { z } from 'zod';
import { type ColumnRow, lockColumn, saveColumn, toColumn } from '../store/columns.ts';
import type { Tables } from '../store/database.ts';
import { type Change, writeVersioned } from './versioned.ts';

/** Changes a column (see `writeVersioned`). Its board is locked as well, so the order of the board's columns holds still. */
export const writeColumn = (
  db: Database<Tables>,
  request: z.output<typeof archiveColumn.request>,
  change: Change<ColumnRow>,
) =>
  writeVersioned(db, request, {
    what: 'Column',
    lock: (tx) => lockColumn(tx, request, request.column_id),
    change,
    save: saveColumn,
    present: toColumn,
  });
