import type { Transaction } from '@cardinal/db';
import type { Connections, createVisibility } from '@cardinal/service';
import type { Kysely } from 'kysely';
import type { DB } from './tables.gen.ts';

export type { DB as Tables } from './tables.gen.ts';

/** The transaction that every query takes first. */
export type Tx = Transaction<DB>;

/** A query that only reads takes a transaction or a handle outside of one. */
export type Reader = Kysely<DB>;

/** What every operation works with: connections, and what callers see. */
export interface ServiceContext extends Connections<DB> {
  visibility: ReturnType<typeof createVisibility>;
}
