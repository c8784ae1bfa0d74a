import type { Check } from '../check.ts';
import { attachments } from './attachments.ts';
import { deadLetters } from './dead-letters.ts';
import { dependencies } from './dependencies.ts';
import { numbers } from './numbers.ts';
import { references } from './references.ts';
import { tombstones } from './tombstones.ts';
import { underWay } from './under-way.ts';
import { workstreams } from './workstreams.ts';

/** Everything that must hold between the databases of the services and inside them (architecture, "Events and projections"). */
export const checks: readonly Check[] = [
  workstreams,
  ...references,
  ...numbers,
  ...dependencies,
  ...attachments,
  ...tombstones,
  ...underWay,
  deadLetters,
];
