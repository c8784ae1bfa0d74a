/*
 * The retry schedule: backoff with jitter (CONTRACT 10.3).
 */

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, hour];
const lastPause = 6 * hour;
/** Most jitter added to a pause, as a share of it, so that events that failed together are not retried together. */
const jitter = 0.2;
/** Failures of one event for this long disable the webhook, ms. */
const giveUpMs = 72 * hour;
/** Longest `Retry-After` that is obeyed, ms. */
const longestRetryAfterMs = 24 * hour;

/** A failed attempt. Times are ms since 1970. */
interface Failure {
  /** Failed attempts of the event, this one included. */
  attempts: number;
  firstFailedAt: number;
  now: number;
  /** The pause that the receiver asked for, ms (`readRetryAfter`). */
  retryAfterMs?: number | undefined;
}

/**
 * Returns when to retry, ms since 1970; undefined three days after the first failure. The last retry is due at exactly that time.
 * @param random returns a number from 0 to 1
 */
export const nextTry = (
  { attempts, firstFailedAt, now, retryAfterMs = 0 }: Failure,
  random: () => number = Math.random,
): number | undefined => {
  const end = firstFailedAt + giveUpMs;
  if (now >= end) return undefined;
  const pause = (pauses[attempts - 1] ?? lastPause) * (1 + jitter * random());
  return Math.max(Math.min(now + pause, end), now + retryAfterMs);
};

/**
 * Parses a `Retry-After` header, in seconds or as a date (RFC 9110, 10.2.3).
 * @param now ms since 1970
 * @returns the pause, ms, a day at most; undefined for a missing or invalid header
 */
export const readRetryAfter = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * second : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs);
};
