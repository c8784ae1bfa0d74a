import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { newTraceparent, parseTraceparent } from './traceparent.ts';

/** What belongs to one request on its whole way through every service. */
export interface RequestContext {
  requestId: string;
  /** W3C `traceparent` of the span under way. */
  traceparent: string;
  /** When the caller stops waiting, epoch ms. */
  deadline: number;
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

/** The trace id that logs carry, 32 hex digits. */
export const traceIdOf = (context: RequestContext): string => context.traceparent.slice(3, 35);
