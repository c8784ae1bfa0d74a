import { armFailpoint, type Failpoint } from './failpoint.ts';
import { type Lifecycle, lifecycle } from './lifecycle.ts';
import { createLogger, type Logger } from './logger.ts';
import { startTelemetry } from './telemetry/start.ts';

/** What every service's configuration has (`serviceConfig`). */
interface ProcessConfig {
  LOG_LEVEL: string;
  FAILPOINT?: Failpoint | undefined;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
}

/**
 * Runs a service as this process: logs, telemetry, and what it starts, which stops in the reverse order on a signal.
 * @param load imports the service; not before the telemetry, which has to see the database driver load
 */
export const runService = async <Config extends ProcessConfig>(
  service: string,
  config: Config,
  load: () => Promise<{ start: (config: Config, logger: Logger, life: Lifecycle) => Promise<void> }>,
): Promise<void> => {
  const logger = createLogger({ service, level: config.LOG_LEVEL });
  armFailpoint(config.FAILPOINT);
  const life = lifecycle({ logger });
  const telemetry = await startTelemetry({ service, endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  await life.add({ name: 'telemetry', stop: () => telemetry.stop() });
  const { start } = await load();
  await start(config, logger, life);
};
