import type { AddressInfo } from 'node:net';
import type { Program } from '@cardinal/host';
import { waitForServer } from '@cardinal/runtime';
import { configSchema } from './config.ts';

const load = () => Promise.all([import('@cardinal/bus'), import('./app.ts')]);

export const program: Program<typeof configSchema> = {
  name: 'gateway',
  config: configSchema,
  load,
  async start({ config, logger, life, serveMetrics, local }) {
    const [{ checkBroker, connectBus }, { buildApp }] = await load();
    const metrics = await serveMetrics({ port: config.METRICS_PORT, host: config.METRICS_HOST, logger });
    await life.add({ name: 'metrics', stop: () => metrics.close() });

    const broker = { url: config.NATS_URL, ca: config.NATS_CA };
    await waitForServer(logger, () => checkBroker(broker));
    const bus = await connectBus({ ...broker, name: 'gateway', logger, local, checkReplies: config.CHECK_REPLIES });
    await life.add({ name: 'bus', stop: () => bus.drain() });

    const app = await buildApp({ config, bus, logger });
    const listen = async () => {
      await app.listen({ port: config.PORT, host: config.HOST });
      logger.info({ port: (app.server.address() as AddressInfo).port }, 'listening');
    };
    await life.add({ name: 'http', start: listen, stop: () => app.close() });
  },
};
