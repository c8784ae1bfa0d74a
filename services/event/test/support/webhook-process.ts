// An instance in a process of its own, which a test kills, or which kills itself at a point.
import { connectBus } from '@cardinal/bus';
import { openDatabase } from '@cardinal/db';
import { armFailpoint, createLogger, failpoints } from '@cardinal/runtime';
import { configSchema } from '../../src/config.ts';
import type { Tables } from '../../src/context.ts';
import { createFalls } from '../../src/fill/falls.ts';
import { startWebhooks } from '../../src/webhooks/service.ts';

const [, , DATABASE_URL = '', NATS_URL = '', point] = process.argv;
armFailpoint(failpoints.find((name) => name === point));
const logger = createLogger({ service: 'event', level: 'silent' });
const config = configSchema.parse({
  ...{ DATABASE_URL, NATS_URL, WEBHOOK_KEY: 'k'.repeat(32) },
  ...{ WEBHOOK_HTTP: 'true', WEBHOOK_NETWORKS: '127.0.0.0/8' },
});
const connections = {
  db: openDatabase<Tables>({ url: DATABASE_URL, name: 'event' }),
  bus: await connectBus({ url: NATS_URL, name: 'event', logger }),

  feed: { nudge: () => {}, nudgeProjections: () => {} },
  logger,
  now: () => new Date(),
};
startWebhooks({ ...connections, lineage: createFalls(connections) }, config);
