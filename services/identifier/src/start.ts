import { checkBroker, connectBus } from '@cardinal/bus';
import { checkDatabase, openDatabase, purgeCommands, startRelay } from '@cardinal/db';
import { type Lifecycle, type Logger, serveHealth, sweeper, waitForServer } from '@cardinal/runtime';
import type { Config } from './config.ts';
import type { ServiceContext } from './context.ts';
import { serve } from './service.ts';
import type { DB } from './tables.gen.ts';
import { finishArchives } from './workstreams/archive.ts';

const hourMs = 3_600_000;
const purgeIntervalMs = 600_000;

/** Starts the service; stopping goes the other way: unready, sweepers, relay, requests in hand, pool. */
export const start = async (config: Config, logger: Logger, life: Lifecycle): Promise<void> => {
  const db = openDatabase<DB>({ url: config.DATABASE_URL, name: 'identifier', poolSize: config.DATABASE_POOL_SIZE });
  await life.add({ name: 'database', stop: () => db.close() });
  await waitForServer(logger, () => checkDatabase(config.DATABASE_URL));

  await waitForServer(logger, () => checkBroker(config.NATS_URL));
  const bus = await connectBus({ url: config.NATS_URL, name: 'identifier', logger, health: () => db.check() });
  await life.add({ name: 'bus', stop: () => bus.drain() });

  const relay = startRelay({ db, publish: (event) => bus.publish(event), logger });
  await life.add({ name: 'relay', stop: () => relay.stop() });
  bus.keepFilled({ owner: 'identifier', refill: () => relay.refill() });

  const context: ServiceContext = { bus, db, relay, logger, now: () => new Date() };
  serve(context);

  const sweepers = [
    finishArchives(context, { intervalMs: config.ARCHIVE_SWEEP_INTERVAL_MS }),
    sweeper({
      name: 'purge',
      intervalMs: purgeIntervalMs,
      run: () => purgeCommands(db, new Date(Date.now() - config.RETENTION_HOURS * hourMs)),
      logger,
    }),
  ];
  await life.add({ name: 'sweepers', stop: () => Promise.all(sweepers.map((sweeper) => sweeper.stop())) });

  const checks = { database: () => db.check(), bus: () => bus.ping() };
  const health = await serveHealth({ port: config.PORT, host: config.HOST, checks, logger });
  await life.add({ name: 'health', stop: () => health.close() });
  await life.add({ name: 'readiness', stop: () => health.setStopping() });
};
