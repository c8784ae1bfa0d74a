import { connectBus } from '@cardinal/bus';
import { openDatabase } from '@cardinal/db';
import { createLogger, type Part, serveHealth } from '@cardinal/runtime';
import { serveFeed, startService } from '@cardinal/service';
import { configSchema } from '../../src/config.ts';
import { createContext } from '../../src/context.ts';
import type { Tables } from '../../src/database.ts';
import { migrations } from '../../src/migrations/index.ts';
import { serve, service } from '../../src/service.ts';

/** One instance of the service inside the test's process, on the real bus and database, without its sweepers. */
export const startInstance = async (urls: { databaseUrl: string; natsUrl: string }, bestEffortTimeoutMs = 60_000) => {
  const logger = createLogger({ service: 'identifier', level: 'silent' });
  const db = openDatabase<Tables>({ url: urls.databaseUrl, name: 'identifier', poolSize: 5, connectTimeoutMs: 60_000 });
  const patience = { callTimeoutMs: 60_000, bestEffortTimeoutMs };
  const bus = await connectBus({ url: urls.natsUrl, name: 'identifier', logger, ...patience });
  const feed = serveFeed('identifier', { db, bus });
  const parts = createContext({ bus, db, feed, logger, now: () => new Date() });
  serve(parts);
  return {
    parts,
    stop: async () => {
      await bus.drain();
      await db.close();
    },
  };
};
export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** All of the service inside the test's process, with sweepers that look often. */
export const startWhole = async ({ databaseUrl, natsUrl }: { databaseUrl: string; natsUrl: string }) => {
  const parts: Part[] = [];
  const env = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, ARCHIVE_SWEEP_INTERVAL_MS: 100 };
  await startService(service, {
    name: 'identifier',
    config: configSchema.parse(env),
    migrations: Object.keys(migrations),
    logger: createLogger({ service: 'identifier', level: 'silent' }),
    life: { add: async (part) => void parts.unshift(part) },
    serveHealth,
  });
  return {
    stop: async () => {
      for (const part of parts.splice(0)) await part.stop();
    },
  };
};
