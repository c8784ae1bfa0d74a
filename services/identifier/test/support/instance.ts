import type { Connections } from '@cardinal/service';
import { testInstance, type Where } from '@cardinal/testkit/instance';
import { configSchema } from '../../src/config.ts';
import { createContext } from '../../src/context.ts';
import type { Tables } from '../../src/database.ts';
import { serve, service } from '../../src/service.ts';

/** The service without its sweepers. */
export const startInstance = (where: Where, bestEffortTimeoutMs = 60_000) => {
  const make = (connections: Connections<Tables>) => {
    const context = createContext(connections);
    serve(context);
    return { context, parts: [] };
  };
  return testInstance('identifier', where, make, { bestEffortTimeoutMs });
};
export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** The whole service, with sweepers at short intervals. */
export const startWhole = (where: Where) => {
  const env = { DATABASE_URL: where.databaseUrl, NATS_URL: where.natsUrl };
  const config = configSchema.parse({ ...env, ARCHIVE_SWEEP_INTERVAL_MS: 100 });
  return testInstance('identifier', where, (connections: Connections<Tables>) => service(connections, config));
};
