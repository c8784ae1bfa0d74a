import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Attributes } from '@opentelemetry/api';

/** Version ff is none, and neither a trace nor a span is all zeros. */
const format = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * The parts of a W3C `traceparent` header, all in lower-case hex (Trace Context, section 3.2); bit 0 of the flags says that
 * the trace is sampled. Undefined where it is malformed, which means: start a new trace (section 3.2.2.5).
 */
export const parseTraceparent = (value = '') => {
  const [, version, traceId, spanId, flags, rest] = format.exec(value) ?? [];
  if (!traceId || !spanId || !flags || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, spanId, flags };
};

export const formatTraceparent = (traceId: string, spanId: string, flags: string): string =>
  `00-${traceId}-${spanId}-${flags}`;

/** Whether the caller records the trace; of a valid `traceparent`. */
export const isSampled = (traceparent: string): boolean => (Number.parseInt(traceparent.slice(53, 55), 16) & 1) === 1;

/** The span that a valid `traceparent` names, 16 hex digits. */
export const spanIdOf = (traceparent: string): string => traceparent.slice(36, 52);

/** The trace id that logs carry, 32 hex digits. */
export const traceIdOf = (context: RequestContext): string => context.traceparent.slice(3, 35);

const digitsOfTraceparent = 48;
/** Random digits, made for many traces at once. */
let digits = '';

/** The start of a new trace. Not sampled: the first process that records a span decides that. */
export const newTraceparent = (): string => {
  if (digits === '') digits = randomBytes(100 * (digitsOfTraceparent / 2)).toString('hex');
  const traceId = digits.slice(0, 32);
  const spanId = digits.slice(32, digitsOfTraceparent);
  digits = digits.slice(digitsOfTraceparent);
  return formatTraceparent(traceId, spanId, '00');
};

/** The caller's `X-Request-Id` where it is 1 to 128 of `[A-Za-z0-9._-]`, otherwise a new one. */
export const requestIdOf = (request: IncomingMessage): string => {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(sent) ? sent : randomUUID();
};

/** What belongs to one request on its whole way through every service. */
export interface RequestContext {
  requestId: string;
  /** W3C `traceparent` of the span under way. */
  traceparent: string;
  /** When the caller stops waiting, epoch ms. */
  deadline: number;
  /** What is not committed by the deadline must not be: its caller may have sent it again, and written more since. */
  voidAtDeadline?: boolean;
  /**
   * The caller whose request it is, or for whom something is done in the background, so that what is scarce is shared fairly
   * there too (ADR 48); work that is shared by many has none.
   */
  caller?: { workspaceId: string; userId: string };
  /** The trace begins here: `traceparent` names no recorded span yet. */
  startsTrace?: boolean;
}

const storage = new AsyncLocalStorage<RequestContext>();

export const currentContext = (): RequestContext | undefined => storage.getStore();

export const runInContext = <T>(context: RequestContext, fn: () => T): T => storage.run(context, fn);

interface Origin extends Pick<RequestContext, 'caller'> {
  requestId?: string;
  traceparent?: string;
  /** How long its caller waits, ms from now. */
  timeoutMs: number;
}

/** A context for work that starts here: an HTTP request, a message, a round of a sweeper. */
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

/** Runs work that is shared by many callers, without a caller of its own. */
export const forNobody = <T>(fn: () => T): T => {
  const { caller, ...context } = currentContext() ?? {};
  return caller ? runInContext(context as RequestContext, fn) : fn();
};

/** How long one piece of background work may take, ms; what is not done by then is left to a sweeper. */
const backgroundMs = 5_000;

/** Runs work that continues after its caller was answered, with a deadline of its own. Trace, request id and caller stay. */
export const inBackground = <T>(fn: () => Promise<T>): Promise<T> =>
  runInContext(newContext({ ...currentContext(), timeoutMs: backgroundMs }), fn);

/** A span under way. */
export interface OpenSpan {
  /** Its request context, whose `traceparent` names this span. */
  context: RequestContext;
  /** Runs `fn` where instrumented libraries find their parent. */
  within: <T>(fn: () => T) => T;
  end(error?: unknown): void;
}
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
/** Starts a span under `parent`; undefined where its trace is not sampled. */
export type StartSpan = (
  name: string,
  attributes: Attributes,
  kind: SpanKind,
  parent?: RequestContext,
) => OpenSpan | undefined;

let startSpan: StartSpan | undefined;

/** Switches the recording of spans on or off; while it is off, tracing costs one check. */
export const recordSpans = (start: StartSpan | undefined): void => {
  startSpan = start;
};

/**
 * Runs `fn` as a span, a child of the current context's, and in a context whose `traceparent` is that span's. An error
 * is rethrown; the span records its kind, and counts as failed unless the rules refused the request. While telemetry is
 * off this is `fn()`.
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
 * Starts a span that someone else ends, for callers that cannot wrap their work in one function (HTTP hooks).
 * Undefined while telemetry is off, and where the trace is not sampled.
 */
export const openSpan = (name: string, attributes: Attributes, kind: SpanKind = 'internal'): OpenSpan | undefined =>
  startSpan?.(name, attributes, kind, currentContext());

/** Shares one look-up among all callers, and reuses its result for this long, ms. */
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

/** What comes first: the end of the work, or that `ms` are over, when `late` answers or throws. */
export const firstOf = <T>(work: Promise<T>, ms: number, late: () => T): Promise<T> => {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  return Promise.race([work, over.promise.then(late)]).finally(() => clearTimeout(timer));
};

/** Runs `fn` when the code that runs now and every promise that it settled are through, before other events are read. */
export const afterMicrotasks = (fn: () => void): void => queueMicrotask(() => process.nextTick(fn));
