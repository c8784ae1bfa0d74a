import { armFailpoint, createLogger, lifecycle, startTelemetry } from '@cardinal/runtime';
import { readConfig } from './config.ts';

const config = readConfig();
const logger = createLogger({ service: 'attachment', level: config.LOG_LEVEL });
armFailpoint(config.FAILPOINT);

const life = lifecycle({ logger });
const telemetry = await startTelemetry({ service: 'attachment', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
await life.add({ name: 'telemetry', stop: () => telemetry.stop() });

// Not before the telemetry, which has to see the database driver load.
const { start } = await import('./start.ts');
await start(config, logger, life);
