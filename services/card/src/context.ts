import type { Connections } from '@cardinal/service';
import { createGrants, type Grants } from './numbers/grants.ts';
import { createRecorder, type Recorder } from './numbers/recorder.ts';
import type { Tables } from './store/database.ts';

/** What every operation works with. */
export interface ServiceContext extends Connections<Tables> {
  /** Sees to it that there are numbers to issue. */
  grants: Grants;
  /** Brings what was issued to the ledger. */
  recorder: Recorder;
}

/**
 * Puts together what is shared between requests.
 * @param recordAgeMs age from which the sweeper sends an identifier that the ledger may not have, ms
 */
export const createContext = (
  connections: Connections<Tables>,
  { recordAgeMs }: { recordAgeMs: number },
): ServiceContext => {
  const grants = createGrants(connections);
  return { ...connections, grants, recorder: createRecorder({ ...connections, grants }, { ageMs: recordAgeMs }) };
};
