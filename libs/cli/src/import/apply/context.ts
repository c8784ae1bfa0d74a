import type { CardinalClient } from '@cardinal/client/source';
import type { Bounds } from '../concurrently.ts';
import type { Journal } from '../journal.ts';
import type { Ids } from './facets.ts';
import type { Met } from './meet.ts';
import type { Outcome } from './outcome.ts';
import type { Target } from './workspace.ts';

/** What the application of a plan works with. */
export interface ApplyContext extends Bounds {
  client: CardinalClient;
  journal: Journal;
  met: Pick<Met, 'judge' | 'isOwn' | 'cardOf'>;
  /** Board, columns, labels and workstreams, created for the first card that needs them. */
  target: () => Promise<Target>;
  /** The ids that are there already. */
  ids: () => Promise<Ids>;
  /** Its name, or its id. */
  board: string;
  outcome: Outcome;
  /** Settles when all cards so far with new numbers are created: their numbers follow the order of their rows. */
  numbered: Promise<unknown>;
}
