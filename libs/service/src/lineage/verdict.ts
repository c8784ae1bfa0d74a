import type { Lineage, Witness } from '@cardinal/contracts';

/** A start later than this after the last tick, without a stop in order before it, ms, is one of nobody knows which state. */
const unexplainedPauseMs = 3_600_000;
/** Somebody who runs writes a lost register again within this time after the last tick, ms. */
const rewrittenWithinMs = 15_000;

/** What the database says of itself. */
export interface Found {
  identity: string;
  tick: number;
  /** What its clock says, and when the tick rose last; null where no tick was timed yet. */
  now: Date;
  ticked_at: Date | null;
  /** Whether numbers were given out of it. */
  has_issued: boolean;
  /** Somebody demands that numbers go on at least this far above what was given out (`doctor --advance`, a restore). */
  advance_by: number | null;
  /** How often the backup was restored before from which this state is. */
  restored_before: number;
  /** Numbers were set on, and the register does not have it yet: a process ended in between. */
  advanced: boolean;
}

/** What a process that meets a database goes by, beside the database. */
interface Known {
  /** The register's witness of it. */
  witness: Witness | undefined;
  /** What the process remembers of an earlier meeting. */
  remembered: Pick<Witness, 'identity' | 'tick'> | undefined;
  /** Whether the operator says that the database is the latest (TRUST_DATABASES). */
  isTrusted: boolean;
}

/**
 * - `same`: it goes on where it was.
 * - `earlier`: it is another or an earlier one, and the register knows what was given out.
 * - `unknown`: nobody knows what was given out: numbers go on behind a margin.
 * - `wait`: that nobody knows is not certain yet.
 */
export type Verdict = 'same' | 'earlier' | 'unknown' | 'wait';

/** Decides what a database is to whoever meets it (ARCHITECTURE, "Lineage"; ADR 0071). */
export const verdictOf = (found: Found, { witness, remembered, isTrusted }: Known): Verdict => {
  if (found.advance_by !== null) return 'unknown';
  const before = witness ?? remembered;
  if (found.advanced && !isNoted(found, witness)) return 'unknown';
  if (!before) {
    // A tick comes before any witness: without one there was none, as in a new system.
    if (isTrusted || !found.has_issued || found.tick === 0) return 'same';
    return found.ticked_at !== null && idleMs(found) < rewrittenWithinMs ? 'wait' : 'unknown';
  }
  // Before the comparison: in a copy of everything, the register may be a moment younger than the database.
  if (!remembered && witness && !isTrusted && isUnexplained(found, witness)) return 'unknown';
  return before.identity !== found.identity || before.tick > found.tick ? 'earlier' : 'same';
};

/** Time since the database was last written to, by its own clock, ms; 0 where that is not known. */
const idleMs = ({ now, ticked_at }: Found): number => (ticked_at ? now.getTime() - ticked_at.getTime() : 0);

/** Neither the database nor the register knows of the last hour, and nobody stopped in order before it. */
const isUnexplained = (found: Found, { at, stopped }: Witness): boolean => {
  if (stopped || at === null) return false;
  const idle = Math.min(idleMs(found), found.now.getTime() - Date.parse(at));
  return idle > unexplainedPauseMs;
};

const isNoted = (found: Found, witness: Witness | undefined): boolean =>
  witness !== undefined && witness.identity === found.identity && witness.tick >= found.tick;

/**
 * Days begun since the last tick, for each of which numbers may have been given out; and one for each time that the same
 * state was restored before, which gave out numbers from there on too.
 */
export const daysBegun = (found: Found): number =>
  Math.max(1, Math.ceil(idleMs(found) / 86_400_000)) + found.restored_before;

/**
 * The tick below which a database was rolled back: the one that the process remembers, or that of the register where it speaks of
 * the same history and is higher.
 */
export const leastTick = (
  remembered: Pick<Witness, 'identity' | 'tick'> | undefined,
  known: Witness | undefined,
): number => Math.max(remembered?.tick ?? 0, known && known.identity === remembered?.identity ? known.tick : 0);

/** What a register has that knows nothing. */
export const emptyLineage: Lineage = {
  epoch: 1,
  witnesses: {},
  falls: [],
  unknown_since: null,
  new_begins: 0,
  acknowledged_at: null,
};
