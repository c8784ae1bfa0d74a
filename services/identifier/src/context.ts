import { rowsOf, type Transaction } from '@cardinal/db';
import type { Connections } from '@cardinal/service';
import type { Kysely, Selectable } from 'kysely';
import type { DB } from './tables.gen.ts';

/** What every operation and sweeper works with. */
export type ServiceContext = Connections<DB>;

/** The transaction that every query takes first. */
export type Tx = Transaction<DB>;

/** A query that only reads takes a transaction or a handle outside of one. */
export type Reader = Kysely<DB>;

export type WorkstreamRow = Selectable<DB['workstreams']>;

export const workstreams = rowsOf<DB, 'workstreams'>('workstreams');
