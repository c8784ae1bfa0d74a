import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Attributes } from '@opentelemetry/api';

/** Version ff is invalid, and so is a trace or span of zeros. */
const format = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Parses a W3C `traceparent` header in lower-case hex (Trace Context, section 3.2); bit 0 of the flags means that the
 * trace is sampled. @returns undefined where it is malformed: start a new trace then (section 3.2.2.5)
 */
export const parseTraceparent = (value = '') => {
  const [, version, traceId, spanId, flags, rest] = format.exec(value) ?? [];
  if (!traceId || !spanId || !flags || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, spanId, flags };
};

export const formatTraceparent = (traceId: string, spanId: string, flags: string): string =>
  `00-${traceId}-${spanId}-${flags}`;

/** Whether the caller records the trace. @param traceparent a valid one */
export const isSampled = (traceparent: string): boolean => (Number.parseInt(traceparent.slice(53, 55), 16) & 1) === 1;

/** The span id of a valid `traceparent`, 16 hex digits. */
export const spanIdOf = (traceparent: string): string => traceparent.slice(36, 52);

/** The trace id in log lines, 32 hex digits. */
export const traceIdOf = (context: RequestContext): string => context.traceparent.slice(3, 35);

const digitsOfTraceparent = 48;
/** Random digits for many traces, made at once. */
let digits = '';

/** Starts a new trace. It is not sampled: the first process that records a span decides that. */
export const newTraceparent = (): string => {
  if (digits === '') digits = randomBytes(100 * (digitsOfTraceparent / 2)).toString('hex');
  const traceId = digits.slice(0, 32);
  const spanId = digits.slice(32, digitsOfTraceparent);
  digits = digits.slice(digitsOfTraceparent);
  return formatTraceparent(traceId, spanId, '00');
};

/** Returns the caller's `X-Request-Id` where it is 1 to 128 of `[A-Za-z0-9._-]`, otherwise a new one. */
export const requestIdOf = (request: IncomingMessage): string => {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(sent) ? sent : randomUUID();
};

/** The context of one request, the same in every service. */
export interface RequestContext {
  requestId: string;
  /** W3C `traceparent` of the current span. */
  traceparent: string;
  /** When the caller stops waiting, epoch ms. */
  deadline: number;
  /** Nothing may be committed after the deadline: the caller may have retried by then, and written more since. */
  voidAtDeadline?: boolean;
  /**
   * The caller of the request, also for its background work, so that scarce resources are shared fairly (ADR 48).
   * Shared work has none.
   */
  caller?: { workspaceId: string; userId: string; apiKeyId?: string };
  /** The trace begins here: `traceparent` has no recorded span yet. */
  startsTrace?: boolean;
}

const storage = new AsyncLocalStorage<RequestContext>();

export const currentContext = (): RequestContext | undefined => storage.getStore();

export const runInContext = <T>(context: RequestContext, fn: () => T): T => storage.run(context, fn);

interface Origin extends Pick<RequestContext, 'caller'> {
  requestId?: string;
  traceparent?: string;
  /** How long the caller waits, ms from now. */
  timeoutMs: number;
}

/** Makes a context for work that starts here: an HTTP request, a message, a round of a sweeper. */
export const newContext = (from: Origin): RequestContext => {
  const incoming = parseTraceparent(from.traceparent) && from.traceparent;
  const context: RequestContext = {
    requestId: from.requestId || randomUUID(),
    traceparent: incoming ?? newTraceparent(),
    deadline: Date.now() + from.timeoutMs,
  };
  if (from.caller) context.caller = from.caller;
  if (!incoming) context.startsTrace = true;
  return context;
};

/** Runs work that many callers share, without a caller. */
export const withoutCaller = <T>(fn: () => T): T => {
  const { caller, ...context } = currentContext() ?? {};
  return caller ? runInContext(context as RequestContext, fn) : fn();
};

/** Deadline of background work, ms. A sweeper finishes what is left. */
const backgroundMs = 5_000;

/**
 * Runs work that continues after the caller was answered. It gets a deadline of its own; trace, request id and caller
 * stay.
 */
export const inBackground = <T>(fn: () => Promise<T>): Promise<T> =>
  runInContext(newContext({ ...currentContext(), timeoutMs: backgroundMs }), fn);

/** A span that has begun. */
export interface OpenSpan {
  /** Its request context, with its `traceparent`. */
  context: RequestContext;
  /** Runs `fn` where instrumented libraries find the span as their parent. */
  within: <T>(fn: () => T) => T;
  end(error?: unknown): void;
}
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
/** Starts a span under `parent`. @returns undefined where its trace is not sampled */
export type StartSpan = (
  name: string,
  attributes: Attributes,
  kind: SpanKind,
  parent?: RequestContext,
) => OpenSpan | undefined;

let startSpan: StartSpan | undefined;

/** Enables or disables the recording of spans. While it is disabled, tracing costs one check. */
export const recordSpans = (start: StartSpan | undefined): void => {
  startSpan = start;
};

/**
 * Runs `fn` as a child span of the current context, in a context with the span's `traceparent`. Rethrows errors; the
 * span records their kind, and counts as failed unless a rule refused the request. Without telemetry it is `fn()`.
 */
export const span = async <T>(
  name: string,
  attributes: Attributes,
  fn: () => T | Promise<T>,
  kind: SpanKind = 'internal',
): Promise<T> => {
  const open = openSpan(name, attributes, kind);
  if (!open) return fn();
  try {
    const result = await open.within(() => runInContext(open.context, fn));
    open.end();
    return result;
  } catch (error) {
    open.end(error);
    throw error;
  }
};

/**
 * Starts a span that somebody else ends, for callers that cannot wrap their work in one function (HTTP hooks).
 * @returns undefined without telemetry, and where the trace is not sampled
 */
export const openSpan = (name: string, attributes: Attributes, kind: SpanKind = 'internal'): OpenSpan | undefined =>
  startSpan?.(name, attributes, kind, currentContext());

/** Shares one call of `look` among all callers, and reuses its result for `goodForMs`. */
export const askedOnce = <T>(goodForMs: number, look: () => Promise<T>): (() => Promise<T>) => {
  let round: Promise<T> | undefined;
  const forget = () => {
    round = undefined;
  };
  return () => {
    round ??= look().finally(() => setTimeout(forget, goodForMs).unref());
    return round;
  };
};

/** Waits for `work`, at most `ms`; then `late` returns the result or throws. */
export const firstOf = <T>(work: Promise<T>, ms: number, late: () => T): Promise<T> => {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  return Promise.race([work, over.promise.then(late)]).finally(() => clearTimeout(timer));
};

/** Runs `fn` after the current code and every promise that it settled, before other events are read. */
export const afterMicrotasks = (fn: () => void): void => queueMicrotask(() => process.nextTick(fn));
