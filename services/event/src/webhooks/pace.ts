import type { Lane } from './lanes.ts';
import type { State } from './state.ts';

/*
 * How fast a webhook is tried. A receiver that takes nothing is tried carefully: what failed by its schedule, and now and then
 * something new, since it may be that only some events fail, which must not hold up others.
 */

/**
 * Attempts under way at once for one webhook, of as many lanes: before it took something in this turn, those that hang not
 * counted; and then.
 */
const [firstAtOnce, usualAtOnce] = [2, 16];
/** After so many failures without a success between them there is one attempt at a time, */
export const patience = 5;
/** and of what was not tried before one in this time, ms. */
const trickleMs = 5_000;
/** An attempt that takes longer than this hangs, ms. */
export const slowMs = 1_000;
/**
 * An attempt that hangs costs more than all others: it keeps a connection for as long as it may take. So with this many of
 * them in a row there is one attempt, of whatever, in a pause; with each further one the pause is longer, ms.
 */
const fewHanging = 2;
const hangingPausesMs = [5_000, 20_000];
const longestHangingPauseMs = 60_000;
/** Most that is added to such a pause, as a share of it, so that what hung together is not tried together. */
const jitter = 0.5;

/** What a turn leaves to the next one of its webhook. */
export type Caution = Pick<State, 'hungInRow' | 'isNewNext'>;
export const noCaution: Caution = { hungInRow: 0, isNewNext: false };

type Paced = Pick<State, 'failuresInRow' | 'hungInRow' | 'triedAt' | 'triedNewAt' | 'takenAt' | 'random' | 'lanes'>;
interface Now {
  now: number;
  elapsed: number;
}

/** The lanes of which something is being sent, and since when. */
export const inFlight = function* ({ lanes }: Pick<State, 'lanes'>): Generator<[string, Lane, sentAt: number]> {
  for (const [key, lane] of lanes) if (lane.sentAt !== undefined) yield [key, lane, lane.sentAt];
};

/** How many attempts in a row hung, or hang: those that began since the receiver last took something. */
const countHanging = (paced: Paced, { elapsed }: Now): number => {
  let hanging = paced.hungInRow;
  for (const [, , sentAt] of inFlight(paced)) if (sentAt > paced.takenAt && sentAt + slowMs <= elapsed) hanging += 1;
  return hanging;
};

/** How many attempts may be under way at once. */
export const atOnce = (paced: Paced, moment: Now): number => {
  if (paced.failuresInRow >= patience || paced.hungInRow >= fewHanging) return 1;
  return Number.isFinite(paced.takenAt)
    ? usualAtOnce
    : Math.min(firstAtOnce + countHanging(paced, moment), usualAtOnce);
};

/** When the next attempt may begin, ms since 1970; undefined where the receiver does not hang. */
export const nextAttemptAt = (paced: Paced, moment: Now): number | undefined => {
  const more = countHanging(paced, moment) - fewHanging;
  if (more < 0) return undefined;
  return paced.triedAt + (hangingPausesMs[more] ?? longestHangingPauseMs) * (1 + jitter * paced.random);
};

/** When an attempt of something new may begin, ms since 1970; undefined where it may at once. */
export const nextNewAt = (paced: Paced, moment: Now): number | undefined =>
  nextAttemptAt(paced, moment) ?? (paced.failuresInRow >= patience ? paced.triedNewAt + trickleMs : undefined);

/** Whether the next attempt may begin. */
export const mayTry = (paced: Paced, moment: Now): boolean =>
  (nextAttemptAt(paced, moment) ?? moment.now) <= moment.now;

/** Whether what was not tried before may be tried. */
export const mayTryNew = (paced: Paced, moment: Now): boolean => (nextNewAt(paced, moment) ?? moment.now) <= moment.now;
