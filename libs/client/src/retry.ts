/** How a client tries again. Times in milliseconds. */
export interface RetryPolicy {
  /** Sendings of one request at most, the first included; 1 never tries again. */
  attempts: number;
  /** Longest wait after the first failure; it doubles with each further one. */
  baseMs: number;
  /** Longest wait that the doubling may reach. */
  capMs: number;
  /** The longest `Retry-After` that the client waits for. */
  longestRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  baseMs: 200,
  capMs: 5_000,
  longestRetryAfterMs: 60_000,
};

/** How one sending of a request failed. */
export type Failure =
  | { kind: 'answered'; status: number; retryAfter: string | null }
  /** Permanent: a repetition would fail too. */
  | { kind: 'lost'; neverSent: boolean; hopeless?: boolean };

/**
 * Milliseconds of `Retry-After` (RFC 9110, 10.2.3), seconds or a date; undefined where it is missing or says nothing.
 */
export const retryAfterMs = (header: string | null, now: number): number | undefined => {
  if (header === null || header.trim() === '') return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

/**
 * Whether sending the same again is safe and has a chance. 429 and 503 promise that nothing is half done; a lost answer
 * says nothing, and with 502 and 504 a proxy says that it lost one (RFC 9110, 15.6.3 and 15.6.5).
 */
const isWorthwhile = (failure: Failure, repeatable: boolean): boolean => {
  if (failure.kind === 'lost') return !failure.hopeless && (failure.neverSent || repeatable);
  const { status } = failure;
  return status === 429 || status === 503 || (repeatable && (status === 502 || status === 504));
};

/**
 * When a request is sent again: in so many milliseconds, or never (undefined).
 * @param random between 0 and 1: clients that failed together must not return together
 */
export const nextTryIn = (
  failure: Failure,
  { sent, repeatable, now, random }: { sent: number; repeatable: boolean; now: number; random: number },
  policy: RetryPolicy,
): number | undefined => {
  if (sent >= policy.attempts || !isWorthwhile(failure, repeatable)) return undefined;
  const backoff = random * Math.min(policy.capMs, policy.baseMs * 2 ** (sent - 1));
  const asked = failure.kind === 'answered' ? retryAfterMs(failure.retryAfter, now) : undefined;
  if (asked === undefined) return backoff;
  return asked > policy.longestRetryAfterMs ? undefined : asked + random * policy.baseMs;
};
