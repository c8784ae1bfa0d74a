import type { Lane } from './lanes.ts';
import type { State } from './state.ts';

/*
 * How fast a webhook sends.
 * - Slow start: two lanes at a time until the receiver accepts an event, then sixteen.
 * - A receiver that fails gets one attempt at a time: retries as scheduled, and a new event now and then. Perhaps only some
 *   events fail, and those must not hold up the others.
 * - A circuit breaker opens for a receiver that hangs: one probe a pause, and pauses that grow.
 */

/** Concurrent attempts of one webhook: until the first delivery of a session, hanging attempts not counted; and after it. */
const [initialConcurrency, fullConcurrency] = [2, 16];
/** After this many failures in a row, attempts are made one at a time. */
export const failureLimit = 5;
/** After `failureLimit` failures: pause between two attempts of new events, ms. */
const newEventPauseMs = 5_000;
/** An attempt hangs if it takes at least this long, ms. */
export const hangMs = 1_000;
/** Hung attempts in a row that open the circuit breaker. They are expensive: each occupies a connection until it times out. */
const hungLimit = 2;
/** Pauses between probes while the breaker is open: at two hung attempts, at three, and at more, ms. */
const probePausesMs = [5_000, 20_000];
const longestProbePauseMs = 60_000;
/** Most jitter added to such a pause, as a share of it, so that webhooks that hung together do not retry together. */
const jitter = 0.5;

/** The state of the circuit breaker, which one session of a webhook passes on to the next. */
export type Breaker = Pick<State, 'hungInRow' | 'isNewNext'>;
export const closedBreaker: Breaker = { hungInRow: 0, isNewNext: false };

type Paced = Pick<
  State,
  'failuresInRow' | 'hungInRow' | 'attemptedAt' | 'attemptedNewAt' | 'deliveredAt' | 'random' | 'lanes'
>;
interface Now {
  now: number;
  elapsed: number;
}

/** Yields the lanes with an attempt under way, and when it began (monotonic clock, ms). */
export const inFlight = function* ({ lanes }: Pick<State, 'lanes'>): Generator<[string, Lane, sentAt: number]> {
  for (const [key, lane] of lanes) if (lane.sentAt !== undefined) yield [key, lane, lane.sentAt];
};

/** Returns how many attempts in a row hung or are hanging. Those that began before the last delivery do not count. */
const countHanging = (paced: Paced, { elapsed }: Now): number => {
  let hanging = paced.hungInRow;
  for (const [, , sentAt] of inFlight(paced))
    if (sentAt > paced.deliveredAt && sentAt + hangMs <= elapsed) hanging += 1;
  return hanging;
};

/** Returns how many attempts may be under way at once. */
export const concurrencyLimit = (paced: Paced, moment: Now): number => {
  if (paced.failuresInRow >= failureLimit || paced.hungInRow >= hungLimit) return 1;
  return Number.isFinite(paced.deliveredAt)
    ? fullConcurrency
    : Math.min(initialConcurrency + countHanging(paced, moment), fullConcurrency);
};

/** Returns when the next probe may begin, ms since 1970; undefined while the circuit breaker is closed. */
export const nextAttemptAt = (paced: Paced, moment: Now): number | undefined => {
  const more = countHanging(paced, moment) - hungLimit;
  if (more < 0) return undefined;
  return paced.attemptedAt + (probePausesMs[more] ?? longestProbePauseMs) * (1 + jitter * paced.random);
};

/** Returns when an attempt of a new event may begin, ms since 1970; undefined for at once. */
export const nextNewAt = (paced: Paced, moment: Now): number | undefined =>
  nextAttemptAt(paced, moment) ??
  (paced.failuresInRow >= failureLimit ? paced.attemptedNewAt + newEventPauseMs : undefined);

/** Whether an attempt may begin now. */
export const mayTry = (paced: Paced, moment: Now): boolean =>
  (nextAttemptAt(paced, moment) ?? moment.now) <= moment.now;

/** Whether an attempt of a new event may begin now. */
export const mayTryNew = (paced: Paced, moment: Now): boolean => (nextNewAt(paced, moment) ?? moment.now) <= moment.now;
