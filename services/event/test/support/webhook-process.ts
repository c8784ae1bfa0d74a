// An instance in a process of its own, which a test kills, or which kills itself at a failpoint.
import { armFailpoint, failpoints } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import { testInstance } from '@cardinal/testkit/instance';
import { configSchema } from '../../src/config.ts';
import type { Tables } from '../../src/context.ts';
import { createRollbacks } from '../../src/fill/rollbacks.ts';
import { startWebhooks } from '../../src/webhooks/service.ts';

const [, , DATABASE_URL = '', NATS_URL = '', point] = process.argv;
armFailpoint(failpoints.find((name) => name === point));
const config = configSchema.parse({
  DATABASE_URL,
  NATS_URL,
  WEBHOOK_KEY: 'k'.repeat(32),
  WEBHOOK_HTTP: 'true',
  WEBHOOK_NETWORKS: '127.0.0.0/8',
});
await testInstance('event', { databaseUrl: DATABASE_URL, natsUrl: NATS_URL }, (connections: Connections<Tables>) => {
  const { parts } = startWebhooks({ ...connections, lineage: createRollbacks(connections) }, config);
  return { parts };
});
