import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { checkBroker, connectBus } from '@cardinal/bus';
import { createLogger, lifecycle, serveMetrics, startTelemetry, waitForServer } from '@cardinal/runtime';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

const config = readConfig();
const logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL });
const life = lifecycle({ logger });

const telemetry = await startTelemetry({ service: 'gateway', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
await life.add({ name: 'telemetry', stop: () => telemetry.stop() });

const metrics = await serveMetrics({ port: config.METRICS_PORT, host: config.METRICS_HOST, logger });
await life.add({ name: 'metrics', stop: () => metrics.close() });

const broker = { url: config.NATS_URL, ca: config.NATS_CA };
await waitForServer(logger, () => checkBroker(broker));
const bus = await connectBus({ ...broker, name: 'gateway', logger, checkReplies: config.CHECK_REPLIES });
await life.add({ name: 'bus', stop: () => bus.drain() });

const app = await buildApp({ config, bus, logger });
const listen = async () => {
  await app.listen({ port: config.PORT, host: config.HOST });
  logger.info({ port: (app.server.address() as AddressInfo).port }, 'listening');
};
await life.add({ name: 'http', start: listen, stop: () => app.close() });
// Otherwise a process that is killed instead of stopped would leave nothing in the compile cache.
flushCompileCache();
