import type { Transaction } from '@cardinal/db';
import type { Connections, createVisibility } from '@cardinal/service';
import type { Kysely, Selectable } from 'kysely';
import type { DB } from './tables.gen.ts';

export type { DB as Tables } from './tables.gen.ts';

/** The transaction that every query takes first. */
export type Tx = Transaction<DB>;

/** A transaction, or a handle outside of one, for queries that only read. */
export type Reader = Kysely<DB>;

export type EdgeRow = Selectable<DB['edges']>;

/** What operations share: connections, and what callers see. */
export interface ServiceContext extends Connections<DB> {
  visibility: ReturnType<typeof createVisibility>;
}
