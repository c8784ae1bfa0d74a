import { currentTracing, setTracing } from './tracing.ts';

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
export const startTelemetry = async (options: TelemetryOptions): Promise<{ stop(): Promise<void> }> => {
  if (!options.endpoint) return { stop: async () => {} };
  if (currentTracing()) throw new Error('telemetry is already started');
  const { startSdk } = await import('./sdk.ts');
  const sdk = startSdk({ ...options, endpoint: options.endpoint });
  setTracing(sdk.tracing);
  return {
    async stop() {
      setTracing(undefined);
      await sdk.shutdown();
    },
  };
};
