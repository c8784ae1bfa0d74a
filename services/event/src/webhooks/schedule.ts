/*
 * When what failed is tried again (CONTRACT 10.3).
 */

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, hour];
const lastPause = 6 * hour;
/** Most that is added to a pause, as a share of it, so that what failed together does not come back together. */
const jitter = 0.2;
/** After so long of failures a webhook is disabled, ms. */
const patienceMs = 72 * hour;
/** No receiver puts an attempt off for longer, ms. */
const longestRetryAfterMs = 24 * hour;

/** An attempt that failed. */
interface Failure {
  /** How many there were, this one included. */
  attempts: number;
  firstFailedAt: number;
  now: number;
  /** How long the receiver asks to be left alone, ms (`retryAfterMs`). */
  retryAfterMs?: number | undefined;
}

/**
 * When to try again, ms since 1970; undefined where there were failures for three days, of which the last attempt is the end.
 * @param random from 0 to 1
 */
export const nextTry = (
  { attempts, firstFailedAt, now, retryAfterMs = 0 }: Failure,
  random: () => number = Math.random,
): number | undefined => {
  const end = firstFailedAt + patienceMs;
  if (now >= end) return undefined;
  const pause = (pauses[attempts - 1] ?? lastPause) * (1 + jitter * random());
  return Math.max(Math.min(now + pause, end), now + retryAfterMs);
};

/** Reads `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3); undefined where it says neither. */
export const readRetryAfter = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * second : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs);
};
