import { firstOf, recordSpans } from './context.ts';

const shutdownTimeoutMs = 3_000;

/**
 * Starts exporting spans to `endpoint`, the base address of an OTLP/HTTP collector. Without one it loads nothing of the
 * SDK. Call it before `pg` is loaded: the main module imports the service afterwards, otherwise queries have no spans.
 * Incoming traces keep their caller's decision; `OTEL_TRACES_SAMPLER` and `_ARG` decide for others, by default all are
 * recorded.
 */
export const startTelemetry = async ({ service, endpoint }: { service: string; endpoint?: string | undefined }) => {
  if (!endpoint) return { stop: async () => {} };
  const { startSdk } = await import('./telemetry-sdk.ts');
  const sdk = startSdk(service, endpoint);
  recordSpans(sdk.open);
  return {
    /** Exports the rest, for at most 3 s: an unreachable collector must not delay the stop. */
    async stop() {
      recordSpans(undefined);
      await firstOf(sdk.shutdown(), shutdownTimeoutMs, () => {}).catch(() => {});
    },
  };
};
