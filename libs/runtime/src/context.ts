import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';

const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);

/**
 * The parts of a W3C `traceparent` header, all in lower-case hex (Trace Context, section 3.2); bit 0 of the flags says that
 * the trace is sampled. Undefined where it is malformed, which means: start a new trace (section 3.2.2.5).
 */
export const parseTraceparent = (value: string | undefined) => {
  const match = value === undefined ? null : format.exec(value);
  if (!match) return undefined;
  const [, version, traceId = noTrace, spanId = noSpan, flags = '00', rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (traceId === noTrace || spanId === noSpan) return undefined;
  return { traceId, spanId, flags };
};

export const formatTraceparent = (traceId: string, spanId: string, flags: string): string =>
  `00-${traceId}-${spanId}-${flags}`;

/** Whether the caller records the trace; of a valid `traceparent`. */
export const isSampled = (traceparent: string): boolean => (Number.parseInt(traceparent.slice(53, 55), 16) & 1) === 1;

/** The span that a valid `traceparent` names, 16 hex digits. */
export const spanIdOf = (traceparent: string): string => traceparent.slice(36, 52);

const digitsOfTraceparent = 48;
/** Random digits, made for many traces at once. */
let digits = '';

/** The start of a new trace. Not sampled: whoever records its first span decides that. */
export const newTraceparent = (): string => {
  if (digits === '') digits = randomBytes(100 * (digitsOfTraceparent / 2)).toString('hex');
  const traceId = digits.slice(0, 32);
  const spanId = digits.slice(32, digitsOfTraceparent);
  digits = digits.slice(digitsOfTraceparent);
  return formatTraceparent(traceId, spanId, '00');
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
  /** The trace begins here: `traceparent` names no recorded span yet. */
  startsTrace?: boolean;
}

const storage = new AsyncLocalStorage<RequestContext>();

export const currentContext = (): RequestContext | undefined => storage.getStore();

export const runInContext = <T>(context: RequestContext, fn: () => T): T => storage.run(context, fn);

/**
 * A context for work that starts here: an HTTP request, a message, a round of a sweeper.
 * @param timeoutMs how long its caller waits, ms from now
 */
export const newContext = (from: { requestId?: string; traceparent?: string; timeoutMs: number }): RequestContext => {
  const incoming = parseTraceparent(from.traceparent) && from.traceparent;
  const context: RequestContext = {
    requestId: from.requestId || randomUUID(),
    traceparent: incoming ?? newTraceparent(),
    deadline: Date.now() + from.timeoutMs,
  };
  if (!incoming) context.startsTrace = true;
  return context;
};

/** How long one piece of background work may take, ms; what is not done by then is left to a sweeper. */
const backgroundMs = 5_000;

/** Runs what goes on after its caller was answered, with a deadline of its own. Trace and request id stay. */
export const inBackground = <T>(fn: () => Promise<T>): Promise<T> =>
  runInContext(newContext({ ...currentContext(), timeoutMs: backgroundMs }), fn);

/** However many ask, the answer is looked for once at a time, and told to others who ask for so long, ms. */
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

/** The trace id that logs carry, 32 hex digits. */
export const traceIdOf = (context: RequestContext): string => context.traceparent.slice(3, 35);
