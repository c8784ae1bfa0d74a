import { checkBroker, connectBus } from '@cardinal/bus';
import { checkDatabase, openDatabase, purgeCommands, purgeInbox, startRelay } from '@cardinal/db';
import { type Lifecycle, type Logger, serveHealth, sweeper, waitForServer } from '@cardinal/runtime';
import type { Config } from './config.ts';
import { createContext } from './context.ts';
import { purgeIssued } from './numbers/issued.ts';
import { serve } from './service.ts';
import type { Tables } from './store/database.ts';

const hourMs = 3_600_000;
const purgeIntervalMs = 600_000;
/** A day longer than the stream keeps events. */
const inboxHours = 8 * 24;
/** Recorded identifiers are kept this long, so that a restored ledger can be filled again (architecture, "One transaction"). */
const issuedHours = 7 * 24;

/** Starts the service; stopping goes the other way: unready, sweepers, relay, requests in hand, pool. */
export const start = async (config: Config, logger: Logger, life: Lifecycle): Promise<void> => {
  const db = openDatabase<Tables>({ url: config.DATABASE_URL, name: 'card', poolSize: config.DATABASE_POOL_SIZE });
  await life.add({ name: 'database', stop: () => db.close() });
  await waitForServer(logger, () => checkDatabase(config.DATABASE_URL));

  await waitForServer(logger, () => checkBroker(config.NATS_URL));
  const bus = await connectBus({ url: config.NATS_URL, name: 'card', logger, health: () => db.check() });
  const relay = startRelay({ db, publish: (event) => bus.publish(event), logger });
  const context = createContext({ db, bus, relay, logger }, { recordAgeMs: config.RECORD_AGE_MS });
  await life.add({ name: 'recorder', stop: () => context.recorder.idle() });
  await life.add({ name: 'bus', stop: () => bus.drain() });
  await life.add({ name: 'relay', stop: () => relay.stop() });
  bus.keepFilled({ owner: 'card', refill: () => relay.refill() });
  serve(bus, context);

  const sweepers = [
    sweeper({ name: 'recorder', intervalMs: config.RECORD_SWEEP_INTERVAL_MS, run: context.recorder.sweep, logger }),
    sweeper({
      name: 'purge',
      intervalMs: purgeIntervalMs,
      run: async () => {
        await purgeCommands(db, new Date(Date.now() - config.RETENTION_HOURS * hourMs));
        await purgeIssued(db, new Date(Date.now() - issuedHours * hourMs));
        await purgeInbox(db, new Date(Date.now() - inboxHours * hourMs));
      },
      logger,
    }),
  ];
  await life.add({ name: 'sweepers', stop: () => Promise.all(sweepers.map((sweeper) => sweeper.stop())) });

  const checks = { database: () => db.check(), bus: () => bus.ping() };
  const health = await serveHealth({ port: config.PORT, host: config.HOST, checks, logger });
  await life.add({ name: 'health', stop: () => health.close() });
  await life.add({ name: 'readiness', stop: () => health.setStopping() });
};
