import type { Bus } from '@cardinal/bus';
import type { RequestContract } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import type { z } from 'zod';
import type { Allocation } from './allocation/allocation.ts';
import type { Tables } from './store/database.ts';

/** What handlers and subscribers work with. */
export interface Parts {
  db: Database<Tables>;
  /** Asks other services; never inside a transaction. */
  bus: Pick<Bus, 'call' | 'tell'>;
  /** Nudged after a commit that appended events. */
  relay: { nudge(): void };
  /** Drives operations of the allocation protocol to their end. */
  allocation: Allocation;
}

/** What serves a contract: takes its parsed request, answers its reply, or throws a `CardinalError`. */
export type Handler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<z.output<Contract['reply']>>;
