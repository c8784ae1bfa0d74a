import type { Bus } from '@cardinal/bus';
import type { RequestContract } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import type { Logger } from '@cardinal/runtime';
import type { z } from 'zod';
import { createGrants, type Grants } from './numbers/grants.ts';
import { createRecorder, type Recorder } from './numbers/recorder.ts';
import type { Tables } from './store/database.ts';

/** What the service is built on. */
export interface Ground {
  db: Database<Tables>;
  /** Asks other services; never inside a transaction. */
  bus: Pick<Bus, 'call' | 'tell'>;
  /** Nudged after a commit that appended events. */
  relay: { nudge(): void };
  logger: Logger;
}

/** What handlers and subscribers work with; each takes only what it needs. */
export interface Parts extends Ground {
  /** Sees to it that there are numbers to issue. */
  grants: Grants;
  /** Brings what was issued to the ledger. */
  recorder: Recorder;
}

/** What serves a contract: takes its parsed request, answers its reply, or throws a `CardinalError`. */
export type Handler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<z.output<Contract['reply']>>;

/**
 * Puts together what is shared between requests.
 * @param recordAgeMs age from which the sweeper sends an identifier that the ledger may not have, ms
 */
export const assemble = (ground: Ground, { recordAgeMs }: { recordAgeMs: number }): Parts => {
  const grants = createGrants(ground);
  return { ...ground, grants, recorder: createRecorder({ ...ground, grants }, { ageMs: recordAgeMs }) };
};
