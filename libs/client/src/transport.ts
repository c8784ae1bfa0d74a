import type { RetryPolicy } from './retry.ts';
import { jsonOf, lostTo, type Sending, untilAnswered } from './until-answered.ts';

/** What a reply tells beside the resource. */
export interface Reply {
  status: number;
  requestId: string | undefined;
  /** The service had carried out this request before and repeated its first answer (`Idempotent-Replayed`). */
  replayed: boolean;
}

/** Options of every call. */
export interface CallOptions {
  /** Gives the call up; it may have been carried out. */
  signal?: AbortSignal;
  /** Sees status, request id and whether the answer is a replay. */
  onReply?: (reply: Reply) => void;
}

/** Options of a POST. */
export interface PostOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters; made anew for every call when left out. */
  idempotencyKey?: string;
}

/** One request as the resources see it. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/kanban/v1`. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** The version that a write of a versioned resource was decided on. */
  ifMatch?: number;
}

export interface TransportOptions {
  /** Ends with `/api/kanban/v1`. */
  baseUrl: string;
  token: string | (() => string | Promise<string>);
  fetch: typeof fetch;
  retry: RetryPolicy;
  /** Of one sending, milliseconds. */
  timeoutMs: number;
}

/** Sends a call until it is answered for good; returns the answer's JSON, undefined for an answer without a body. */
export type Send = <Body>(call: Call, options?: PostOptions) => Promise<Body>;

const addressOf = (baseUrl: string, { path, query = {} }: Call) => {
  const url = new URL(baseUrl + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
};

const headersOf = (call: Call, token: string, key: string | undefined) => ({
  accept: 'application/json',
  authorization: `Bearer ${token}`,
  ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(key === undefined ? {} : { 'idempotency-key': key }),
  ...(call.ifMatch === undefined ? {} : { 'if-match': `"${call.ifMatch}"` }),
});

/**
 * Makes the function that every resource sends its calls with.
 * It throws ApiError for an answer that is an error, ConnectionError where no answer came, and the signal's reason.
 */
export const createTransport = (options: TransportOptions): Send => {
  const attempt = async (
    call: Call,
    key: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Sending<{ response: Response; body: unknown }>> => {
    const token = await currentToken(options);
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const request = {
      method: call.method,
      headers: headersOf(call, token, key),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    };
    try {
      const response = await options.fetch(addressOf(options.baseUrl, call), request);
      const body = await jsonOf(response);
      return isSuccess(response, body) ? { answer: { response, body } } : { response, body };
    } catch (error) {
      return lostTo(error, signal);
    }
  };

  return async <Body>(call: Call, { signal, onReply, idempotencyKey }: PostOptions = {}) => {
    const key = call.method === 'POST' ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    const { response, body } = await untilAnswered(() => attempt(call, key, signal), {
      url: options.baseUrl,
      // Reads and desired-state writes repeat by nature; a versioned write without a key does not.
      repeatable: key !== undefined || call.ifMatch === undefined,
      retry: options.retry,
      signal,
    });
    onReply?.(replyOf(response));
    return body as Body;
  };
};

/** The token of the next sending. */
export const currentToken = async ({ token }: Pick<TransportOptions, 'token'>): Promise<string> =>
  typeof token === 'string' ? token : token();

/** What a reply tells beside the resource. */
export const replyOf = (response: Response): Reply => ({
  status: response.status,
  requestId: response.headers.get('x-request-id') ?? undefined,
  replayed: response.headers.get('idempotent-replayed') === 'true',
});

// A success that carries no JSON comes from something that is not Cardinal: a proxy, a login page.
const isSuccess = (response: Response, body: unknown) =>
  response.ok && (response.status === 204 || (typeof body === 'object' && body !== null));
