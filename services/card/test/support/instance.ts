import { connectBus } from '@cardinal/bus';
import { openDatabase } from '@cardinal/db';
import { createLogger, type Part, serveHealth } from '@cardinal/runtime';
import { serveFeed, startProjections, startService } from '@cardinal/service';
import { configSchema } from '../../src/config.ts';
import { createContext } from '../../src/context.ts';
import type { Tables } from '../../src/database.ts';
import { migrations } from '../../src/migrations/index.ts';
import { projectionsOf, serve, service } from '../../src/service.ts';

/**
 * One instance of the service inside the test's process, on the real bus and database, with its projections. It sweeps only
 * when asked to.
 */
export const startInstance = async (urls: { databaseUrl: string; natsUrl: string }) => {
  const logger = createLogger({ service: 'card', level: 'error' });
  const db = openDatabase<Tables>({ url: urls.databaseUrl, name: 'card', poolSize: 5, connectTimeoutMs: 60_000 });
  const bus = await connectBus({ url: urls.natsUrl, name: 'card', logger, callTimeoutMs: 60_000 });
  const feed = serveFeed('card', { db, bus });
  const parts = createContext({ db, bus, feed, logger, now: () => new Date() }, { recordAgeMs: 0 });
  serve(parts);
  const projections = startProjections(parts, projectionsOf(parts));
  return {
    parts,
    stop: async () => {
      await projections.stop();
      await bus.drain();
      await parts.recorder.idle();
      await db.close();
    },
  };
};
export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** All of the service inside the test's process, with a sweeper that is awake: what it finds is left over by then. */
export const startWhole = async (urls: { databaseUrl: string; natsUrl: string }) => {
  const parts: Part[] = [];
  const env = {
    DATABASE_URL: urls.databaseUrl,
    NATS_URL: urls.natsUrl,
    RECORD_AGE_MS: 1,
    RECORD_SWEEP_INTERVAL_MS: 200,
  };
  await startService(service, {
    name: 'card',
    config: configSchema.parse(env),
    migrations: Object.keys(migrations),
    logger: createLogger({ service: 'card', level: 'silent' }),
    life: { add: async (part) => void parts.unshift(part) },
    serveHealth,
  });
  return {
    stop: async () => {
      for (const part of parts.splice(0)) await part.stop();
    },
  };
};
