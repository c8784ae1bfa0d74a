import type { Lane } from './lanes.ts';
import type { State } from './state.ts';

/*
 * How fast a webhook is tried. A receiver that takes nothing is tried carefully: what failed by its schedule, and now and then
 * something new, since it may be that only some events fail, which must not hold up others.
 */

/** Attempts under way at once for one webhook, of as many lanes. */
const usualAtOnce = 16;
/** After so many failures without a success between them there is one attempt at a time, */
export const patience = 5;
/**
 * and of what was not tried before one in this time, ms. So it is while so many attempts hang; with each further one it is
 * twice as long.
 */
const [trickleMs, fewHanging] = [5_000, 2];
/** An attempt that takes longer than this hangs, ms. */
export const slowMs = 1_000;

type Paced = Pick<State, 'failuresInRow' | 'triedNewAt' | 'takenAt' | 'lanes'>;
interface Now {
  now: number;
  elapsed: number;
}

/** The lanes of which something is being sent, and since when. */
export const inFlight = function* ({ lanes }: Pick<State, 'lanes'>): Generator<[string, Lane, sentAt: number]> {
  for (const [key, lane] of lanes) if (lane.sentAt !== undefined) yield [key, lane, lane.sentAt];
};

/** How many attempts hang, of those that began since the receiver last took something. */
const countHanging = (paced: Paced, { elapsed }: Now): number => {
  let hanging = 0;
  for (const [, , sentAt] of inFlight(paced)) if (sentAt > paced.takenAt && sentAt + slowMs <= elapsed) hanging += 1;
  return hanging;
};

export const atOnce = ({ failuresInRow }: Paced): number => (failuresInRow >= patience ? 1 : usualAtOnce);

/** When something new may be tried, ms since 1970; undefined where it may be at once. */
export const nextNewAt = (paced: Paced, moment: Now): number | undefined => {
  if (paced.failuresInRow >= patience) return paced.triedNewAt + trickleMs;
  const more = countHanging(paced, moment) - fewHanging;
  return more < 0 ? undefined : paced.triedNewAt + trickleMs * 2 ** more;
};

/** Whether what was not tried before may be tried. */
export const mayTryNew = (paced: Paced, moment: Now): boolean => (nextNewAt(paced, moment) ?? moment.now) <= moment.now;
