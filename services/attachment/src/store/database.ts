import type { Transaction } from '@cardinal/db';
import type { Kysely } from 'kysely';
import type { DB } from './tables.gen.ts';

/** The transaction that every store function takes first. */
export type Tx = Transaction<DB>;

/** A store function that only reads takes a transaction or a handle outside of one. */
export type Reader = Kysely<DB>;
