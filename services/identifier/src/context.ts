import type { Bus } from '@cardinal/bus';
import type { Database, Relay } from '@cardinal/db';
import type { Logger } from '@cardinal/runtime';
import type { DB } from './tables.gen.ts';

/** What every operation and sweeper works with. */
export interface ServiceContext {
  /** Asks other services; never inside a transaction. */
  bus: Bus;
  db: Database<DB>;
  /** Nudged after a commit that appended events. */
  relay: Relay;
  logger: Logger;
  now: () => Date;
}
