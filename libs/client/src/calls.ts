import { type CardinalError, isHopeless, isNeverSent, lostAnswer, refusal, withoutQuery } from './errors.ts';
import type { CallOptions, Reply } from './options.ts';
import { type Failure, nextTryIn, type RetryPolicy } from './retry.ts';

/** One sending of a request, after it ended. */
export interface Attempt {
  /** As the OpenAPI document names it, `createCard`; `sendBytes` for the bytes of a file. */
  operation: string;
  method: string;
  /** Without the query, which may hold a signature. */
  url: string;
  /** 1 for the first sending. */
  attempt: number;
  durationMs: number;
  /** Undefined where no answer came; `error` has the cause. */
  status: number | undefined;
  requestId: string | undefined;
  /** When the API key of the request ends, in its last 14 days (`Cardinal-Key-Expires`); otherwise undefined. */
  keyExpiresAt: string | undefined;
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

/** A request as it is sent, at each attempt. */
export interface Outgoing<Answer> {
  operation: string;
  method: string;
  url: string;
  /** Called before every sending: the token may have been renewed. */
  headers: () => Record<string, string> | Promise<Record<string, string>>;
  body?: Exclude<RequestInit['body'], undefined>;
  isRepeatable: boolean;
  retry: RetryPolicy;
  /** Undefined: no limit. */
  timeoutMs: number | undefined;
  /** Reads the part of the response that the call returns; the time limit covers it. */
  read(response: Response): Promise<{ answer: Answer } | { body: unknown }>;
  /** Called when a fetch throws; may throw the error that caused it. */
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

type Ended<Answer> = { response?: Response } & ({ answer: Answer } | { error: CardinalError; failure: Failure });

/**
 * Refuses headers that fetch would refuse: a mistake of the caller is no lost answer.
 * @throws TypeError without the value, which may be a token
 */
const checked = (headers: Record<string, string>): Record<string, string> => {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new TypeError(`the header ${name} has a value that no header can have`);
    }
  }
  return headers;
};

const sendOnce = async <Answer>(
  { fetch }: Transport,
  { url, method, headers: headersOf, body, timeoutMs, read }: Outgoing<Answer>,
  { signal, attempt }: { signal: AbortSignal | undefined; attempt: number },
): Promise<Ended<Answer>> => {
  const headers = checked(await headersOf());
  const late = new AbortController();
  const expire = () => late.abort(new DOMException('no answer in time', 'TimeoutError'));
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers,
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      // A stream is sent before the answer comes; browsers require this option.
      ...(body === undefined ? {} : ({ body, duplex: 'half' } as RequestInit)),
    });
    const taken = await read(response);
    if ('answer' in taken) return { response, answer: taken.answer };
    const failure = { status: response.status, retryAfter: response.headers.get('retry-after') };
    return { response, error: refusal(response, taken.body, attempt), failure: { kind: 'answered', ...failure } };
  } catch (lost) {
    return {
      error: lostAnswer(url, lost, attempt),
      failure: { kind: 'lost', neverSent: isNeverSent(lost), hopeless: isHopeless(lost) },
    };
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
 * Sends a request until it succeeds or is refused for good.
 * @throws CardinalError for an unexpected answer, and where none came; the signal's reason; TypeError for a
 *   header that cannot be sent
 */
export const exchange = async <Answer>(
  transport: Transport,
  outgoing: Outgoing<Answer>,
  { signal, onReply }: Pick<CallOptions, 'signal' | 'onReply'>,
): Promise<Answer> => {
  const { operation, method, url, isRepeatable, retry } = outgoing;
  for (let attempt = 1; ; attempt += 1) {
    const started = performance.now();
    const ended = await sendOnce(transport, outgoing, { signal, attempt });
    const reply = ended.response && replyOf(ended.response);
    transport.onAttempt?.({
      operation,
      method,
      url: withoutQuery(url),
      attempt,
      error: 'error' in ended ? ended.error : undefined,
      durationMs: performance.now() - started,
      status: reply?.status,
      requestId: reply?.requestId,
      keyExpiresAt: ended.response?.headers.get('cardinal-key-expires') ?? undefined,
    });
    if ('answer' in ended) {
      if (reply) onReply?.(reply);
      return ended.answer;
    }
    if (ended.failure.kind === 'lost') {
      signal?.throwIfAborted();
      outgoing.onLost?.();
    }
    const now = { sent: attempt, repeatable: isRepeatable, now: Date.now(), random: Math.random() };
    const wait = nextTryIn(ended.failure, now, retry);
    if (wait === undefined) throw ended.error;
    await pause(wait, signal);
  }
};
