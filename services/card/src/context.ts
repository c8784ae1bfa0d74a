import { type Connections, createLineage } from '@cardinal/service';
import { sql } from 'kysely';
import { formerIdentifiers } from './cards/former-identifiers.ts';
import type { Tables } from './database.ts';
import { createGrants } from './numbers/grants.ts';
import { setRangesOn } from './numbers/ranges.ts';
import { createRecorder } from './numbers/recorder.ts';

/** What every operation needs: connections, this process's state of database and ranges, and the recorder of numbers. */
export type ServiceContext = ReturnType<typeof createContext>;

/**
 * Puts together what is shared between requests.
 * @param recordAgeMs age from which the sweeper sends an identifier that the ledger may not have, ms
 * @param isTrusted TRUST_DATABASES
 */
export const createContext = (
  connections: Connections<Tables>,
  { recordAgeMs, isTrusted = false }: { recordAgeMs: number; isTrusted?: boolean },
) => {
  const lineage = createLineage('card', connections, {
    hasIssued: sql`exists (select from workstreams where last_number > 0 or granted_through > 0)`,
    advance: setRangesOn,
    isTrusted,
  });
  const grants = createGrants(connections, lineage);
  const former = formerIdentifiers(connections.bus);
  return { ...connections, lineage, grants, former, recorder: createRecorder(connections, recordAgeMs) };
};
