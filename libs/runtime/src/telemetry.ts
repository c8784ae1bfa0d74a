import { firstOf } from './context.ts';
import { currentTracing, setTracing } from './tracing.ts';

const shutdownTimeoutMs = 3_000;

export interface TelemetryOptions {
  service: string;
  /** Base address of an OTLP/HTTP collector; without it nothing of the SDK is loaded. */
  endpoint?: string | undefined;
  /**
   * Share of the traces begun here that are recorded, 0..1; a trace that came in keeps its caller's decision. Without
   * it the standard variables `OTEL_TRACES_SAMPLER` and `_ARG` decide, and without those everything is recorded.
   */
  sampleRatio?: number | undefined;
}

/**
 * Starts exporting spans where an endpoint is given. Call it before `pg` is loaded: main imports the service
 * afterwards, else its queries have no spans.
 */
export const startTelemetry = async (options: TelemetryOptions) => {
  if (!options.endpoint) return { stop: async () => {} };
  if (currentTracing()) throw new Error('telemetry is already started');
  const { startSdk } = await import('./telemetry-sdk.ts');
  const sdk = startSdk({ ...options, endpoint: options.endpoint });
  setTracing(sdk.tracing);
  return {
    /** Exports what is left, for at most 3 s: a collector that is away must not hold up the stop. */
    async stop() {
      setTracing(undefined);
      await firstOf(sdk.shutdown(), shutdownTimeoutMs, () => {}).catch(() => {});
    },
  };
};
