import type { Database } from '@cardinal/db';
import { type Coalescer, coalesce } from '@cardinal/runtime';
import { findNumbers, type NumberKey, type NumberOwner } from '../store/find-numbers.ts';
import type { DB } from '../store/tables.gen.ts';

/** Whose a number is, undefined where it was never given out. */
export type Lookups = Coalescer<NumberKey, NumberOwner | undefined>;

const keyOf = ({ workspace_id, prefix, number }: NumberKey) => `${workspace_id}/${prefix}-${number}`;

/** Reads that arrive in one tick share one query; two may be under way, so that none waits for a slow one alone. */
export const createLookups = ({ db }: { db: Database<DB> }): Lookups =>
  coalesce({
    concurrency: 2,
    run: async (keys) => {
      const owners = await db.read((tx) => findNumbers(tx, keys));
      const ownerOf = new Map(owners.map((owner) => [keyOf(owner), owner]));
      return keys.map((key) => ownerOf.get(keyOf(key)));
    },
  });
