import { currentContext, type RequestContext, runInContext } from './context.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type SpanAttributes = Record<string, string | number | boolean>;

/** A span under way. */
export interface OpenSpan {
  /** Its request context, whose `traceparent` names this span. */
  context: RequestContext;
  /** The SDK's own context, in which instrumented libraries find their parent. */
  within: <T>(fn: () => T) => T;
  end(error?: unknown): void;
}

/** What records spans while telemetry is on. */
export interface Tracing {
  /** Undefined where the trace is not sampled. */
  open(
    name: string,
    attributes: SpanAttributes,
    kind: SpanKind,
    parent: RequestContext | undefined,
  ): OpenSpan | undefined;
}

let tracing: Tracing | undefined;

/** What records spans; undefined while telemetry is off, so that tracing costs one check. */
export const currentTracing = (): Tracing | undefined => tracing;

export const setTracing = (next: Tracing | undefined): void => {
  tracing = next;
};

/**
 * Runs `fn` as a span, a child of the current context's, and in a context whose `traceparent` is that span's. An error
 * passes; the span tells its kind, and that it failed unless it is a refusal by the rules. While telemetry is off this is `fn()`.
 */
export const span = async <T>(
  name: string,
  attributes: SpanAttributes,
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
 * Undefined while telemetry is off.
 */
export const openSpan = (name: string, attributes: SpanAttributes, kind: SpanKind = 'internal'): OpenSpan | undefined =>
  currentTracing()?.open(name, attributes, kind, currentContext());
