import { type Connections, startProjections } from '@cardinal/service';
import { testInstance, type Where } from '@cardinal/testkit/instance';
import { configSchema } from '../../src/config.ts';
import { createContext } from '../../src/context.ts';
import type { Tables } from '../../src/database.ts';
import { projectionsOf, serve, service } from '../../src/service.ts';

/** The service with its projections. It sweeps only when asked to. */
export const startInstance = (where: Where) =>
  testInstance('card', where, (connections: Connections<Tables>) => {
    const context = createContext(connections, { recordAgeMs: 0 });
    serve(context);
    const { recorder } = context;
    return { context, parts: [startProjections(context, projectionsOf(context))], idle: () => recorder.idle() };
  });
export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** All of the service, with a sweeper that is awake: what it finds is left over by then. */
export const startWhole = (where: Where) => {
  const env = { DATABASE_URL: where.databaseUrl, NATS_URL: where.natsUrl };
  const config = configSchema.parse({ ...env, RECORD_AGE_MS: 1, RECORD_SWEEP_INTERVAL_MS: 200 });
  return testInstance('card', where, (connections: Connections<Tables>) => service(connections, config));
};
