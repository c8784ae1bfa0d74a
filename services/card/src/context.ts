import type { Bus } from '@cardinal/bus';
import type { Document, RequestContract } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import type { Logger } from '@cardinal/runtime';
import type { z } from 'zod';
import { createGrants, type Grants } from './numbers/grants.ts';
import { createRecorder, type Recorder } from './numbers/recorder.ts';
import type { Tables } from './store/database.ts';

/** What the service is built on. */
interface Connections {
  db: Database<Tables>;
  /** Asks other services; never inside a transaction. */
  bus: Pick<Bus, 'call' | 'tell'>;
  /** Nudged after a commit that appended events. */
  relay: { nudge(): void };
  logger: Logger;
}

/** What every operation works with. */
export interface ServiceContext extends Connections {
  /** Sees to it that there are numbers to issue. */
  grants: Grants;
  /** Brings what was issued to the ledger. */
  recorder: Recorder;
}

/** What serves a contract with documents: takes its parsed request, or throws a `CardinalError`. */
export type DocumentHandler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<Document<z.output<Contract['reply']>>>;

/**
 * Puts together what is shared between requests.
 * @param recordAgeMs age from which the sweeper sends an identifier that the ledger may not have, ms
 */
export const createContext = (connections: Connections, { recordAgeMs }: { recordAgeMs: number }): ServiceContext => {
  const grants = createGrants(connections);
  return { ...connections, grants, recorder: createRecorder({ ...connections, grants }, { ageMs: recordAgeMs }) };
};
