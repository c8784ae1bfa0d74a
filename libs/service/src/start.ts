import { checkBroker, connectBus } from '@cardinal/bus';
import { hasFeed, type ServiceName } from '@cardinal/contracts';
import {
  checkDatabase,
  databaseProblem,
  durabilityGauges,
  missingMigrations,
  openDatabase,
  purgeInternalEvents,
  purgeOutbox,
  sqlGauges,
} from '@cardinal/db';
import type { Host } from '@cardinal/host';
import { ServerProblem, sweeper, untilUsable, waitForServer } from '@cardinal/runtime';
import type { ServiceConfig } from './config.ts';
import { feedHours, purgeChanges, serveFeed } from './feeds/feed.ts';
import type { Running, Service } from './service.ts';

const hourMs = 3_600_000;
const purgeIntervalMs = 600_000;
/**
 * What every owner keeps for a time. The outbox is bridged for release 1.1.0, which reads it within seconds after a
 * downgrade.
 */
const keptOfFeeds = [
  { purge: purgeChanges, hours: feedHours },
  { purge: purgeInternalEvents, hours: feedHours },
  { purge: purgeOutbox, hours: 1 },
];

/** Pause between two checks for another server, and between two notes of how far the log has the feeds, ms. */
const [serverIntervalMs, takenIntervalMs] = [1_000, 600_000];

interface ServiceHost<Config> extends Omit<Host<Config>, 'serveMetrics'> {
  name: ServiceName;
  /** Migrations that its schema must have. */
  migrations: readonly string[];
}

/**
 * Starts a service. Until its schema is migrated it is alive, not ready, and takes no requests. Stopping is the reverse
 * (ARCHITECTURE, "Bus"): unready, own listeners, sweepers, requests in hand, their background work, pool.
 */
export const startService = async <Config extends ServiceConfig, Tables>(
  service: Service<Config, Tables>,
  { name, config, migrations, logger, life, serveHealth, local }: ServiceHost<Config>,
): Promise<void> => {
  const db = openDatabase<Tables>({ url: config.DATABASE_URL, name, poolSize: config.DATABASE_POOL_SIZE });
  await life.add({ name: 'database', stop: () => db.close() });
  const schema = async () => {
    const missing = await db
      .read((tx) => missingMigrations(tx, migrations))
      .catch((error) => Promise.reject(databaseProblem(error, config.DATABASE_URL)));
    if (missing.length === 0) return;
    throw new ServerProblem('starting', `DATABASE_URL: its schema lacks ${missing.join(', ')}; run the migrations`);
  };
  // Fails until the service is served.
  let ping = () => Promise.reject<void>();
  const checks = { database: () => db.check(), schema, bus: () => ping() };
  const health = await serveHealth({ port: config.PORT, host: config.HOST, checks, logger });
  await life.add({ name: 'health', stop: () => health.close() });

  // Before the schema, for which it may wait long: a wrong broker is reported at once.
  await waitForServer(logger, () => checkDatabase(config.DATABASE_URL));
  const broker = { url: config.NATS_URL, ca: config.NATS_CA };
  await waitForServer(logger, () => checkBroker(broker));
  await untilUsable(schema, {
    // A database that goes away while the service waits comes back.
    kinds: ['starting', 'away'],
    patienceMs: Number.POSITIVE_INFINITY,
    report: logger.warn.bind(logger),
  });

  const bus = await connectBus({ ...broker, name, logger, local, health: () => db.check() });
  let running: Running<Tables> = {};
  await life.add({ name: 'background', stop: () => running.idle?.() });
  await life.add({ name: 'bus', stop: () => bus.drain() });

  const feed = hasFeed(name) ? serveFeed(name, { db, bus }) : undefined;
  const noFeed = { nudge: () => {}, nudgeProjections: () => {} };
  const connections = { db, bus, feed: feed ?? noFeed, logger, now: () => new Date() };
  running = await service(connections, config);
  const { parts = [], sweepers = [], retention = [], gauges = {} } = running;
  for (const part of parts) await life.add(part);
  sqlGauges(db, { ...durabilityGauges, ...gauges });

  const forget = async () => {
    const kept = [...(feed ? keptOfFeeds : []), ...retention];
    for (const { purge, hours } of kept) await purge(db, new Date(Date.now() - hours * hourMs));
  };
  const rounds = [
    ...sweepers,
    ...(feed
      ? [
          { name: 'feed-server', intervalMs: serverIntervalMs, run: feed.announceServer },
          { name: 'feed-taken', intervalMs: takenIntervalMs, run: feed.noteTaken },
        ]
      : []),
    { name: 'purge', intervalMs: purgeIntervalMs, run: forget },
  ];
  const sweeping = rounds.map((round) => sweeper({ ...round, logger }));
  await life.add({ name: 'sweepers', stop: () => Promise.all(sweeping.map((one) => one.stop())) });

  ping = () => bus.ping();
  await life.add({ name: 'readiness', stop: () => health.setStopping() });
};
