import type { Lineage, Witness } from '@cardinal/contracts';

/**
 * Pause after the last tick, without a stop in order, after which the state of a database at a start is unknown, ms.
 */
const unexplainedPauseMs = 3_600_000;
/** Time after the last tick in which a running process would have written a lost register again, ms. */
const rewrittenWithinMs = 15_000;

/** The state of the database. */
export interface Found {
  identity: string;
  tick: number;
  /** The database's clock, and when the tick last rose; null where no tick has a time. */
  now: Date;
  ticked_at: Date | null;
  /** Whether numbers were given out of it. */
  has_issued: boolean;
  /** An operator demands that numbers continue at least this far above the last one (`doctor --advance`, a restore). */
  advance_by: number | null;
  /** How many times the backup that this state comes from was restored before. */
  restored_before: number;
  /** Counters were raised and the register does not have it yet: a process ended in between. */
  advanced: boolean;
}

/** What else a meeting process knows. */
interface Known {
  /** The register's witness of the database. */
  witness: Witness | undefined;
  /** What the process remembers of an earlier meeting. */
  remembered: Pick<Witness, 'identity' | 'tick'> | undefined;
  /** The operator declares the database the latest one (TRUST_DATABASES). */
  isTrusted: boolean;
}

/**
 * - `same`: the database continues where it was.
 * - `earlier`: it is another or an earlier one, and the register knows which numbers were given out.
 * - `unknown`: nobody knows which numbers were given out: they skip a margin.
 * - `wait`: a running process may still write the lost register again.
 */
export type Verdict = 'same' | 'earlier' | 'unknown' | 'wait';

/** Decides what a database is to the process that meets it (ARCHITECTURE, "Lineage"; ADR 0071). */
export const verdictOf = (found: Found, { witness, remembered, isTrusted }: Known): Verdict => {
  if (found.advance_by !== null) return 'unknown';
  const before = witness ?? remembered;
  if (found.advanced && !isNoted(found, witness)) return 'unknown';
  if (!before) {
    // A tick comes before any witness: tick 0 without a witness is a new system.
    if (isTrusted || !found.has_issued || found.tick === 0) return 'same';
    return found.ticked_at !== null && idleMs(found) < rewrittenWithinMs ? 'wait' : 'unknown';
  }
  // Before the comparison: in a copy of everything, the register may be a moment younger than the database.
  if (!remembered && witness && !isTrusted && isUnexplained(found, witness)) return 'unknown';
  return before.identity !== found.identity || before.tick > found.tick ? 'earlier' : 'same';
};

/** Time since the last write of the database, by its own clock, ms; 0 where that is unknown. */
const idleMs = ({ now, ticked_at }: Found): number => (ticked_at ? now.getTime() - ticked_at.getTime() : 0);

/** Neither database nor register has a time within the last hour, and no process stopped in order before it. */
const isUnexplained = (found: Found, { at, stopped }: Witness): boolean => {
  if (stopped || at === null) return false;
  const idle = Math.min(idleMs(found), found.now.getTime() - Date.parse(at));
  return idle > unexplainedPauseMs;
};

const isNoted = (found: Found, witness: Witness | undefined): boolean =>
  witness !== undefined && witness.identity === found.identity && witness.tick >= found.tick;

/**
 * Days begun since the last tick, in each of which numbers may have been given out. Each earlier restore of the same
 * state counts as one more day.
 */
export const daysBegun = (found: Found): number =>
  Math.max(1, Math.ceil(idleMs(found) / 86_400_000)) + found.restored_before;

/**
 * The lowest tick that is no rollback: the remembered one, or the register's where it has the same identity and is
 * higher.
 */
export const leastTick = (
  remembered: Pick<Witness, 'identity' | 'tick'> | undefined,
  known: Witness | undefined,
): number => Math.max(remembered?.tick ?? 0, known && known.identity === remembered?.identity ? known.tick : 0);

/** The value of an empty register. */
export const emptyLineage: Lineage = {
  epoch: 1,
  witnesses: {},
  falls: [],
  unknown_since: null,
  new_begins: 0,
  acknowledged_at: null,
};
