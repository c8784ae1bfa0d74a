import type { Database } from '@cardinal/db';
import { type Coalescer, coalesce } from '@cardinal/runtime';
import type { DB } from '../store/tables.gen.ts';
import { findCards, type NumberKey } from './ledger.ts';

/** Which card a number was issued to, undefined where the ledger does not have it. */
export type Lookups = Coalescer<NumberKey, string | undefined>;

const keyOf = ({ workspace_id, prefix, number }: NumberKey) => `${workspace_id}/${prefix}-${number}`;

/** Reads that arrive in one tick share one query; two may be under way, so that none waits for a slow one alone. */
export const createLookups = ({ db }: { db: Database<DB> }): Lookups =>
  coalesce({
    concurrency: 2,
    run: async (keys) => {
      const found = await db.read((tx) => findCards(tx, keys));
      const cardOf = new Map(found.map((one) => [keyOf(one), one.card_id]));
      return keys.map((key) => cardOf.get(keyOf(key)));
    },
  });
