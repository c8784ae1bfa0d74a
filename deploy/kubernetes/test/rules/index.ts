import { deploymentsAreWhole } from './deployments.ts';
import { environmentsAreRead } from './environment.ts';
import { podsAreHardened } from './hardening.ts';
import { connectionsSuffice, jobsAreOfARevision } from './jobs.ts';
import { onlyNamedConnections } from './network.ts';
import { portsExist } from './ports.ts';
import { namesExist, selectorsMatch } from './references.ts';
import { podsFindRoom } from './room.ts';

/** What the API server would take, and what would not work all the same. */
export const rules = {
  namesExist,
  selectorsMatch,
  portsExist,
  deploymentsAreWhole,
  podsAreHardened,
  environmentsAreRead,
  jobsAreOfARevision,
  connectionsSuffice,
  podsFindRoom,
  onlyNamedConnections,
};
