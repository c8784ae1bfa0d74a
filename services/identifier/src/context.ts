import { type Connections, createLineage } from '@cardinal/service';
import { sql } from 'kysely';
import type { Tables } from './database.ts';
import { advanceCounters } from './ledger/margin.ts';
import { createMarks } from './ledger/marks.ts';

/** What operations and sweepers share: connections, the marks of the register, and the lineage of the database. */
export type ServiceContext = ReturnType<typeof createContext>;

/**
 * Makes what requests share.
 * @param isTrusted TRUST_DATABASES
 */
export const createContext = (connections: Connections<Tables>, { isTrusted = false } = {}) => {
  const marks = createMarks(connections);
  const lineage = createLineage('identifier', connections, {
    hasIssued: sql`exists (select from workstreams where granted_through > 0 or adopted_through > 0)`,
    advance: advanceCounters,
    reconcile: marks.reconcile,
    isTrusted,
  });
  return { ...connections, marks, lineage };
};
