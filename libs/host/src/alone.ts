import { flushCompileCache } from 'node:module';
import {
  armFailpoint,
  createLogger,
  type Failpoint,
  lifecycle,
  serveHealth,
  serveMetrics,
  startTelemetry,
} from '@cardinal/runtime';
import type { z } from 'zod';
import { readAlone } from './config.ts';
import type { Program } from './program.ts';

/** The part of a service's configuration that the process itself reads. */
interface OfProcess {
  LOG_LEVEL: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  FAILPOINT?: Failpoint | undefined;
}

/** Runs a service as this process, configured by its environment. Exits 1 where a variable is wrong. */
export const runAlone = async <Schema extends z.ZodObject & z.ZodType<OfProcess>>(
  program: Program<Schema>,
): Promise<void> => {
  const { name: service } = program;
  const config = readAlone(program);
  const logger = createLogger({ service, level: config.LOG_LEVEL });
  armFailpoint(config.FAILPOINT);
  const life = lifecycle({ logger });
  const telemetry = await startTelemetry({ service, endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  await life.add({ name: 'telemetry', stop: () => telemetry.stop() });
  await program.start({ config, logger, life, serveHealth, serveMetrics });
  // Otherwise a killed process leaves nothing in the compile cache.
  flushCompileCache();
};
