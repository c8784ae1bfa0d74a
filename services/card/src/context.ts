import { type Connections, createLineage } from '@cardinal/service';
import { sql } from 'kysely';
import { formerIdentifiers } from './cards/former-identifiers.ts';
import type { Tables } from './database.ts';
import { createGrants } from './numbers/grants.ts';
import { advanceRanges } from './numbers/ranges.ts';
import { createRecorder } from './numbers/recorder.ts';

/** The connections and the state of this process that every operation of the service takes. */
export type ServiceContext = ReturnType<typeof createContext>;

/**
 * Creates the state that all requests of a process share: its lineage, grants, former identifiers and recorder.
 * @param recordAgeMs the sweeper sends an unrecorded identifier to the ledger from this age on, ms
 * @param isTrusted the variable TRUST_DATABASES: this process takes its database for the latest state without the
 *   register
 */
export const createContext = (
  connections: Connections<Tables>,
  { recordAgeMs, isTrusted = false }: { recordAgeMs: number; isTrusted?: boolean },
) => {
  const lineage = createLineage('card', connections, {
    hasIssued: sql`exists (select from workstreams where last_number > 0 or granted_through > 0)`,
    advance: advanceRanges,
    isTrusted,
  });
  const grants = createGrants(connections, lineage);
  const former = formerIdentifiers(connections.bus);
  return { ...connections, lineage, grants, former, recorder: createRecorder(connections, recordAgeMs) };
};
