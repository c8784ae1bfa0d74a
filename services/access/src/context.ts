import { rowsOf, type Transaction } from '@cardinal/db';
import type { Connections } from '@cardinal/service';
import type { Kysely, Selectable } from 'kysely';
import type { Config } from './config.ts';
import type { DB } from './tables.gen.ts';

export type { DB as Tables } from './tables.gen.ts';

export type Tx = Transaction<DB>;
/** A query that only reads takes a transaction or a handle outside of one. */
export type Reader = Kysely<DB>;

export const apiKeys = rowsOf<DB, 'api_keys'>('api_keys');
export type KeyRow = Selectable<DB['api_keys']>;

export const people = rowsOf<DB, 'people'>('people');
export type PersonRow = Selectable<DB['people']>;

export interface ServiceContext extends Connections<DB> {
  config: Config;
}
