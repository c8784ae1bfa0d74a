import { apiErrorOf } from './api-error.ts';
import { ConnectionError, isNeverSent } from './connection-error.ts';
import { pause } from './pause.ts';
import { type Failure, nextTryIn, type RetryPolicy } from './retry.ts';

/** How one sending ended: with what it was sent for, with another answer, or without any. */
export type Sending<Answer> = { answer: Answer } | { response: Response; body: unknown } | { lost: unknown };

interface Bounds {
  /** Where it is sent to. */
  url: string;
  /** Whether doing it twice has the effect of doing it once. */
  repeatable: boolean;
  retry: RetryPolicy;
  signal: AbortSignal | undefined;
}

/**
 * Sends a request until it is answered for good.
 * @throws ApiError for another answer than it was sent for, ConnectionError where none came, the signal's reason
 */
export const untilAnswered = async <Answer>(
  attempt: () => Promise<Sending<Answer>>,
  { url, repeatable, retry, signal }: Bounds,
): Promise<Answer> => {
  for (let sent = 1; ; sent += 1) {
    const sending = await attempt();
    if ('answer' in sending) return sending.answer;
    const wait = nextTryIn(failureOf(sending), { sent, repeatable, now: Date.now(), random: Math.random() }, retry);
    if (wait === undefined) {
      throw 'lost' in sending
        ? new ConnectionError(url, sending.lost, sent)
        : apiErrorOf(sending.response, sending.body, sent);
    }
    await pause(wait, signal);
  }
};

/** What a fetch that threw comes to. @throws the signal's reason where the caller gave it up */
export const lostTo = (error: unknown, signal: AbortSignal | undefined): { lost: unknown } => {
  signal?.throwIfAborted();
  return { lost: error };
};

/** Reads an answer as JSON; undefined where it is none. */
export const jsonOf = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const failureOf = (sending: { response: Response } | { lost: unknown }): Failure =>
  'lost' in sending
    ? { kind: 'lost', neverSent: isNeverSent(sending.lost) }
    : {
        kind: 'answered',
        status: sending.response.status,
        retryAfter: sending.response.headers.get('retry-after'),
      };
