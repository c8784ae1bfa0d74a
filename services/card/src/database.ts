import { rowsOf, type Transaction } from '@cardinal/db';
import type { Kysely, Selectable } from 'kysely';
import type { DB } from './tables.gen.ts';

export type { DB as Tables } from './tables.gen.ts';

/** A transaction: the first parameter of every query that writes or locks. */
export type Tx = Transaction<DB>;

/** A transaction, or a handle outside of one: the first parameter of a query that needs no transaction. */
export type Reader = Kysely<DB>;

export type RowOf<Table extends keyof DB> = Selectable<DB[Table]>;

export const boards = rowsOf<DB, 'boards'>('boards');
export const cards = rowsOf<DB, 'cards'>('cards');
export const columns = rowsOf<DB, 'columns'>('columns');
export const comments = rowsOf<DB, 'comments'>('comments');
export const labels = rowsOf<DB, 'labels'>('labels');
export const subtasks = rowsOf<DB, 'subtasks'>('subtasks');
