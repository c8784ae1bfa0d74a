import type { Sources } from './sources.ts';

/** One thing that is not as it must be. */
export interface Difference {
  /** Names it, in the same words at every look. */
  what: string;
  /** Sets it right where that can be done from its owner; changes nothing where it has changed since it was seen. */
  mend?: () => Promise<void>;
}

/** A rule that holds between or inside the databases of the services whenever nothing is under way. */
export interface Check {
  /** The rule, as a sentence. */
  name: string;
  look: (sources: Sources) => Promise<Difference[]>;
}
