import type { Confirmation } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { type Coalescer, coalesce } from '@cardinal/runtime';
import { confirmNumbers } from '../store/confirm-numbers.ts';
import type { DB } from '../store/tables.gen.ts';

export type Confirmations = Coalescer<Confirmation, { confirmed: true }>;

/**
 * Step 4 of the allocation protocol, coalesced: the numbers of committed operations are issued. Confirming twice changes
 * nothing, so requests, events and sweeper need no inbox between them.
 *
 * An operation without a number is refused: it committed, so its number must be here, and a "confirmed" would make the
 * card service forget the one trace of what was lost.
 */
export const createConfirmations = ({ db }: { db: Database<DB> }): Confirmations =>
  coalesce({
    run: async (confirmations) => {
      const known = await db.statement((tx) => confirmNumbers(tx, confirmations));
      return confirmations.map(({ workspace_id, operation_id }) =>
        known.has(`${workspace_id}/${operation_id}`)
          ? { confirmed: true }
          : new Error(`The operation ${operation_id} committed, but no number was ever allocated to it`),
      );
    },
  });
