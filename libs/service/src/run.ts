import { flushCompileCache } from 'node:module';
import type { ServiceName } from '@cardinal/contracts';
import { armFailpoint, createLogger, lifecycle, startTelemetry } from '@cardinal/runtime';
import type { z } from 'zod';
import { readConfig, type ServiceConfig } from './config.ts';
import type { Service } from './service.ts';

/**
 * Runs a service with a database as this process: logs, telemetry, and what `startService` starts, which stops in the
 * reverse order on a signal. Neither the service nor the database driver is imported here: the telemetry has to see the
 * driver load, so both come after it.
 * @param schema what it reads from its environment; where that is wrong, the process ends
 * @param migrations those that it needs to find in its schema
 * @param load imports the service
 */
export const runService = async <Schema extends z.ZodObject & z.ZodType<ServiceConfig>, Tables>(
  name: ServiceName,
  schema: Schema,
  migrations: object,
  load: () => Promise<{ service: Service<z.output<Schema>, Tables> }>,
): Promise<void> => {
  const config = readConfig(schema);
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  armFailpoint(config.FAILPOINT);
  const life = lifecycle({ logger });
  const telemetry = await startTelemetry({ service: name, endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  await life.add({ name: 'telemetry', stop: () => telemetry.stop() });
  const [{ startService }, { service }] = await Promise.all([import('./start.ts'), load()]);
  await startService(service, { name, config, migrations: Object.keys(migrations), logger, life });
  // Otherwise a process that is killed instead of stopped would leave nothing in the compile cache.
  flushCompileCache();
};
