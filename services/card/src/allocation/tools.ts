import type { Bus } from '@cardinal/bus';
import type { Database } from '@cardinal/db';
import type { Logger } from '@cardinal/runtime';
import type { Tables } from '../store/database.ts';

/** What the protocol works with. */
export interface Tools {
  db: Database<Tables>;
  bus: Pick<Bus, 'call'>;
  relay: { nudge(): void };
  logger: Logger;
}
