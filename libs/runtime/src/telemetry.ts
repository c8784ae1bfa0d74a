import { firstOf, recordSpans } from './context.ts';

const shutdownTimeoutMs = 3_000;

/**
 * Starts exporting spans to `endpoint`, the base address of an OTLP/HTTP collector; without one nothing of the SDK is
 * loaded. Call it before `pg` is loaded: main imports the service afterwards, or its queries would have no spans. A
 * trace that came in keeps its caller's decision; `OTEL_TRACES_SAMPLER` and `_ARG` decide for others, without which all
 * are recorded.
 */
export const startTelemetry = async ({ service, endpoint }: { service: string; endpoint?: string | undefined }) => {
  if (!endpoint) return { stop: async () => {} };
  const { startSdk } = await import('./telemetry-sdk.ts');
  const sdk = startSdk(service, endpoint);
  recordSpans(sdk.open);
  return {
    /** Exports what is left, for at most 3 s: a collector that is away must not hold up the stop. */
    async stop() {
      recordSpans(undefined);
      await firstOf(sdk.shutdown(), shutdownTimeoutMs, () => {}).catch(() => {});
    },
  };
};
