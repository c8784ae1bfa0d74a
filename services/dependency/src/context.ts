import { type Connections, createVisibility } from '@cardinal/service';
import type { Tables } from './database.ts';
import { createAdditions } from './graph/add.ts';
import { createDeletions, createWorkspaceMutex } from './graph/remove.ts';

/** What every operation works with: connections, what callers see, and the queues of changes of each workspace's graph. */
export type ServiceContext = ReturnType<typeof createContext>;

/** Puts together what is shared between requests. */
export const createContext = (connections: Connections<Tables>) => {
  const workspaceMutex = createWorkspaceMutex();
  return {
    ...connections,
    visibility: createVisibility(connections.bus),
    additions: createAdditions(connections.db),
    deletions: createDeletions(connections, workspaceMutex),
    workspaceMutex,
  };
};
