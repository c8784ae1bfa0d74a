import { checkBroker, connectBus } from '@cardinal/bus';
import { checkDatabase, openDatabase, purgeInbox, startRelay } from '@cardinal/db';
import { type Lifecycle, type Logger, serveHealth, sweeper, waitForServer } from '@cardinal/runtime';
import type { Config } from './config.ts';
import { assemble } from './parts.ts';
import { serve } from './service.ts';
import type { Tables } from './store/database.ts';

const hourMs = 3_600_000;
const purgeIntervalMs = 600_000;
/** A day longer than the stream keeps events. */
const inboxHours = 8 * 24;

/** Starts the service; stopping goes the other way: unready, sweeper, relay, requests in hand, pool. */
export const start = async (config: Config, logger: Logger, life: Lifecycle): Promise<void> => {
  const db = openDatabase<Tables>({
    url: config.DATABASE_URL,
    name: 'dependency',
    poolSize: config.DATABASE_POOL_SIZE,
  });
  await life.add({ name: 'database', stop: () => db.close() });
  await waitForServer(logger, () => checkDatabase(config.DATABASE_URL));

  await waitForServer(logger, () => checkBroker(config.NATS_URL));
  const bus = await connectBus({ url: config.NATS_URL, name: 'dependency', logger, health: () => db.check() });
  await life.add({ name: 'bus', stop: () => bus.drain() });

  const relay = startRelay({ db, publish: (event) => bus.publish(event), logger });
  await life.add({ name: 'relay', stop: () => relay.stop() });
  bus.keepFilled({ owner: 'dependency', refill: () => relay.refill() });

  serve(assemble({ bus, db, relay, now: () => new Date() }));

  const purge = sweeper({
    name: 'purge',
    intervalMs: purgeIntervalMs,
    run: async () => {
      await purgeInbox(db, new Date(Date.now() - inboxHours * hourMs));
    },
    logger,
  });
  await life.add({ name: 'sweepers', stop: () => purge.stop() });

  const checks = { database: () => db.check(), bus: () => bus.ping() };
  const health = await serveHealth({ port: config.PORT, host: config.HOST, checks, logger });
  await life.add({ name: 'health', stop: () => health.close() });
  await life.add({ name: 'readiness', stop: () => health.setStopping() });
};
