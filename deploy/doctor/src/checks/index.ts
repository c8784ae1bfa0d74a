import type { Check } from '../examine.ts';
import { failingJobs, unreadableSecrets } from './jobs.ts';
import { log } from './log.ts';
import { numbers } from './numbers.ts';
import { projections } from './projections.ts';
import { references } from './references.ts';

/** Everything that must hold between the databases of the services and inside them (ARCHITECTURE, "Projections"). */
export const checks: readonly Check[] = [
  ...projections,
  ...references,
  ...numbers,
  ...log,
  failingJobs,
  unreadableSecrets,
];
