import type { Sources } from './sources.ts';

/** One thing that is not as it must be. */
export interface Difference {
  /** Names it and says how it is, in the same words at every look. */
  what: string;
  /** Names it, however it is; `what` where left out. */
  key?: string;
  /** Sets it right where that can be done from its owner; changes nothing where it has changed since it was seen. */
  mend?: () => Promise<void>;
}

/** A rule that holds between or inside the databases of the services whenever nothing is under way. */
export interface Check {
  /** The rule, as a sentence. */
  name: string;
  /** @param only the keys that are looked for; all where left out. Others may be among the answers */
  look: (sources: Sources, only?: ReadonlySet<string>) => Promise<Difference[]>;
}
