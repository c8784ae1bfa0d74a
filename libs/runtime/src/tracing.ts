import type { Attributes } from '@opentelemetry/api';
import { currentContext, firstOf, runInContext } from './context.ts';
import type { OpenSpan, SpanKind, startSdk } from './telemetry-sdk.ts';

export type { OpenSpan } from './telemetry-sdk.ts';

const shutdownTimeoutMs = 3_000;

/** What records spans; undefined while telemetry is off, so that tracing costs one check. */
let tracing: ReturnType<typeof startSdk> | undefined;

/**
 * Starts exporting spans to `endpoint`, the base address of an OTLP/HTTP collector; without one nothing of the SDK is
 * loaded. Call it before `pg` is loaded: main imports the service afterwards, else its queries have no spans. A trace that
 * came in keeps its caller's decision; `OTEL_TRACES_SAMPLER` and `_ARG` decide for others, without which all are recorded.
 */
export const startTelemetry = async ({ service, endpoint }: { service: string; endpoint?: string | undefined }) => {
  if (!endpoint) return { stop: async () => {} };
  if (tracing) throw new Error('telemetry is already started');
  const sdk = await import('./telemetry-sdk.ts');
  const started = sdk.startSdk(service, endpoint);
  tracing = started;
  return {
    /** Exports what is left, for at most 3 s: a collector that is away must not hold up the stop. */
    async stop() {
      tracing = undefined;
      await firstOf(started.shutdown(), shutdownTimeoutMs, () => {}).catch(() => {});
    },
  };
};

/**
 * Runs `fn` as a span, a child of the current context's, and in a context whose `traceparent` is that span's. An error
 * passes; the span tells its kind, and that it failed unless it is a refusal by the rules. While telemetry is off this is `fn()`.
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
  tracing?.open(name, attributes, kind, currentContext());
