import { migrate } from '@cardinal/db';
import type { Connections } from '@cardinal/service';
import { testSurroundings } from '@cardinal/testkit';
import { testInstance } from '@cardinal/testkit/instance';
import { configSchema } from '../../src/config.ts';
import type { Tables } from '../../src/context.ts';
import { migrations } from '../../src/migrations/index.ts';
import { service } from '../../src/service.ts';

/** Starts the service on a database and a broker of its own. */
export const startAccess = async () => {
  const surroundings = await testSurroundings();
  const { urls, natsUrl } = surroundings;
  await migrate({ url: urls.access, migrations });
  const config = configSchema.parse({ DATABASE_URL: urls.access, NATS_URL: natsUrl });
  const where = { databaseUrl: urls.access, natsUrl };
  /** Starts one more instance. */
  const start = () => testInstance('access', where, (connections: Connections<Tables>) => service(connections, config));
  return { ...surroundings, start, instance: await start() };
};
