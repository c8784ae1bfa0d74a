import { connectBus } from '@cardinal/bus';
import { openDatabase } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { createVisibility, serveFeed, startProjections } from '@cardinal/service';
import type { Tables } from '../../src/context.ts';
import { serveDependencies } from '../../src/dependencies/dependencies.ts';
import { projectionsOf } from '../../src/service.ts';

/**
 * One instance of the service inside the test's process, on the real bus and database.
 * @param bestEffortTimeoutMs how long a write waits for its projection: where that is there, until it has come
 */
export const startInstance = async (urls: { databaseUrl: string; natsUrl: string }, bestEffortTimeoutMs = 60_000) => {
  const logger = createLogger({ service: 'dependency', level: 'silent' });
  const db = openDatabase<Tables>({ url: urls.databaseUrl, name: 'dependency', poolSize: 5, connectTimeoutMs: 60_000 });
  const patience = { callTimeoutMs: 60_000, bestEffortTimeoutMs };
  const bus = await connectBus({ url: urls.natsUrl, name: 'dependency', logger, ...patience });
  const feed = serveFeed('dependency', { db, bus });
  const context = { bus, db, feed, logger, now: () => new Date(), visibility: createVisibility(bus) };
  serveDependencies(context);
  const projections = startProjections(context, projectionsOf(context));
  return {
    context,
    stop: async () => {
      await projections.stop();
      await bus.drain();
      await db.close();
    },
  };
};
export type Instance = Awaited<ReturnType<typeof startInstance>>;
