import { type Connections, createLineage } from '@cardinal/service';
import type { Tables } from './database.ts';
import { createMarks } from './ledger/marks.ts';

/** What every operation and sweeper works with: connections, the marks of the register, what is known of the database. */
export type ServiceContext = ReturnType<typeof createContext>;

/** Puts together what is shared between requests. */
export const createContext = (connections: Connections<Tables>) => {
  const marks = createMarks(connections);
  return { ...connections, marks, lineage: createLineage('identifier', connections, { reconcile: marks.reconcile }) };
};
