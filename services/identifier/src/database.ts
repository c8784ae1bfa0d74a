import { rowsOf, type Transaction } from '@cardinal/db';
import type { Kysely, Selectable } from 'kysely';
import type { DB } from './tables.gen.ts';

export type { DB as Tables } from './tables.gen.ts';

/** The transaction that every query takes first. */
export type Tx = Transaction<DB>;

/** A transaction, or a handle outside of one, for queries that only read. */
export type Reader = Kysely<DB>;

export type WorkstreamRow = Selectable<DB['workstreams']>;

export const workstreams = rowsOf<DB, 'workstreams'>('workstreams');
