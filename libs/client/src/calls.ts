import { isNeverSent, lostAnswer, refusal, withoutQuery } from './errors.ts';
import type { CallOptions, Reply } from './options.ts';
import { type Failure, nextTryIn, type RetryPolicy } from './retry.ts';

/** One sending of a request, after it ended. */
export interface Attempt {
  /** As the OpenAPI document names it, `createCard`; `sendBytes` for the bytes of a file. */
  operation: string;
  method: string;
  /** Without the query. */
  url: string;
  /** 1 for the first sending. */
  attempt: number;
  durationMs: number;
  /** Undefined where no answer came, and `error` says why. */
  status: number | undefined;
  requestId: string | undefined;
  error: unknown;
}

/** What all calls of a client share. */
export interface Transport {
  /** Ends with `/api/kanban/v1`. */
  baseUrl: string;
  token: string | (() => string | Promise<string>);
  fetch: typeof fetch;
  headers: Record<string, string>;
  retry: RetryPolicy;
  /** Of one sending, milliseconds. */
  timeoutMs: number;
  onAttempt: ((attempt: Attempt) => void) | undefined;
}

/** A request as it is sent, however often. */
export interface Outgoing<Answer> {
  operation: string;
  method: string;
  url: string;
  /** Asked for anew before every sending: the token may have been renewed. */
  headers: () => Record<string, string> | Promise<Record<string, string>>;
  body?: Exclude<RequestInit['body'], undefined>;
  /** Whether doing it twice has the effect of doing it once. */
  isRepeatable: boolean;
  retry: RetryPolicy;
  /** Undefined: as long as it takes. */
  timeoutMs: number | undefined;
  /** Takes what the request was sent for; the time limit ends with it. */
  read(response: Response): Promise<{ answer: Answer } | { body: unknown }>;
  /** Sees what a fetch threw, and may throw what is behind it. */
  onLost?(): void;
}

/** Waits for `ms` milliseconds. @throws the signal's reason as soon as it is aborted */
export const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

/** Reads an answer as JSON; undefined where it is none. */
export const jsonOf = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type Ended<Answer> = { lost: unknown } | ({ response: Response } & ({ answer: Answer } | { body: unknown }));

const sendOnce = async <Answer>(
  { fetch }: Transport,
  { url, method, headers: headersOf, body, timeoutMs, read }: Outgoing<Answer>,
  signal: AbortSignal | undefined,
): Promise<Ended<Answer>> => {
  const headers = await headersOf();
  const late = new AbortController();
  const expire = () => late.abort(new DOMException('no answer in time', 'TimeoutError'));
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers,
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      // A stream is sent while the answer is still to come; browsers want that said.
      ...(body === undefined ? {} : ({ body, duplex: 'half' } as RequestInit)),
    });
    return { response, ...(await read(response)) };
  } catch (lost) {
    return { lost };
  } finally {
    clearTimeout(timer);
  }
};

const replyOf = ({ status, headers }: Response): Reply => ({
  status,
  requestId: headers.get('x-request-id') ?? undefined,
  replayed: headers.get('idempotent-replayed') === 'true',
});

/**
 * Sends a request until it is answered for good.
 * @throws CardinalError for another answer than it was sent for, and where none came; the signal's reason
 */
export const exchange = async <Answer>(
  transport: Transport,
  outgoing: Outgoing<Answer>,
  { signal, onReply }: Pick<CallOptions, 'signal' | 'onReply'>,
): Promise<Answer> => {
  const { operation, method, url, isRepeatable, retry } = outgoing;
  for (let attempt = 1; ; attempt += 1) {
    const started = performance.now();
    const ended = await sendOnce(transport, outgoing, signal);
    const response = 'response' in ended ? ended.response : undefined;
    const error =
      'lost' in ended
        ? lostAnswer(url, ended.lost, attempt)
        : 'body' in ended
          ? refusal(ended.response, ended.body, attempt)
          : undefined;
    transport.onAttempt?.({
      ...{ operation, method, url: withoutQuery(url), attempt, error },
      durationMs: performance.now() - started,
      status: response?.status,
      requestId: response && replyOf(response).requestId,
    });
    if ('answer' in ended) {
      onReply?.(replyOf(ended.response));
      return ended.answer;
    }
    if ('lost' in ended) {
      signal?.throwIfAborted();
      outgoing.onLost?.();
    }
    const failure: Failure =
      'lost' in ended
        ? { kind: 'lost', neverSent: isNeverSent(ended.lost) }
        : { kind: 'answered', status: ended.response.status, retryAfter: ended.response.headers.get('retry-after') };
    const now = { sent: attempt, repeatable: isRepeatable, now: Date.now(), random: Math.random() };
    const wait = nextTryIn(failure, now, retry);
    if (wait === undefined) throw error;
    await pause(wait, signal);
  }
};
