import type { RequestContext } from '../context.ts';

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
