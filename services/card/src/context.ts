import { type Connections, createLineage } from '@cardinal/service';
import type { Tables } from './database.ts';
import { createGrants } from './numbers/grants.ts';
import { createRecorder } from './numbers/recorder.ts';

/** What every operation works with: connections, what this process knows of its database and of ranges, and what brings numbers to the ledger. */
export type ServiceContext = ReturnType<typeof createContext>;

/**
 * Puts together what is shared between requests.
 * @param recordAgeMs age from which the sweeper sends an identifier that the ledger may not have, ms
 */
export const createContext = (connections: Connections<Tables>, { recordAgeMs }: { recordAgeMs: number }) => {
  const lineage = createLineage('card', connections);
  const grants = createGrants(connections, lineage);
  return { ...connections, lineage, grants, recorder: createRecorder(connections, recordAgeMs) };
};
