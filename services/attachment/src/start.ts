import { checkBroker, connectBus } from '@cardinal/bus';
import { checkDatabase, openDatabase, startRelay } from '@cardinal/db';
import { type Lifecycle, type Logger, serveHealth, waitForServer } from '@cardinal/runtime';
import { createImageDecoder } from './checks/image.ts';
import { openScanner } from './checks/open-scanner.ts';
import type { Config } from './config.ts';
import { openListener } from './http/listener.ts';
import { createSignedUrls } from './links/signed-urls.ts';
import { assemble } from './parts.ts';
import { serve } from './service.ts';
import { openStorage } from './storage/open.ts';
import type { DB } from './store/tables.gen.ts';
import { checkFiles } from './sweepers/check-files.ts';
import { clearAbandoned } from './sweepers/clear-abandoned.ts';
import { collectUploads } from './sweepers/collect-uploads.ts';
import { purge } from './sweepers/purge.ts';
import { removeBytes } from './sweepers/remove-bytes.ts';

const hourMs = 3_600_000;

/** Starts the service; stopping goes the other way: unready, transfers, sweepers, relay, requests in hand, pool. */
export const start = async (config: Config, logger: Logger, life: Lifecycle): Promise<void> => {
  const storage = await openStorage(config);
  const scanner = openScanner(config, logger);

  const db = openDatabase<DB>({ url: config.DATABASE_URL, name: 'attachment', poolSize: config.DATABASE_POOL_SIZE });
  await life.add({ name: 'database', stop: () => db.close() });
  await waitForServer(logger, () => checkDatabase(config.DATABASE_URL));

  await waitForServer(logger, () => checkBroker(config.NATS_URL));
  const bus = await connectBus({ url: config.NATS_URL, name: 'attachment', logger, health: () => db.check() });
  await life.add({ name: 'bus', stop: () => bus.drain() });

  const relay = startRelay({ db, publish: (event) => bus.publish(event), logger });
  await life.add({ name: 'relay', stop: () => relay.stop() });

  bus.keepFilled({ owner: 'attachment', refill: () => relay.refill() });

  const listener = await openListener({
    host: config.FILES_HOST,
    port: config.FILES_PORT,
    origins: config.ALLOWED_ORIGINS,
    idleMs: config.TRANSFER_IDLE_MS,
    timeoutMs: config.TRANSFER_TIMEOUT_MS,
  });
  const publicUrl = config.PUBLIC_URL ?? `http://${config.FILES_HOST}:${listener.port}`;
  const urls = createSignedUrls({ publicUrl, secret: config.URL_SECRET });
  const limits = {
    maxFileBytes: config.MAX_FILE_BYTES,
    uploadTtlMs: config.UPLOAD_TTL_MS,
    transferTimeoutMs: config.TRANSFER_TIMEOUT_MS,
    checkTimeoutMs: config.CHECK_TIMEOUT_MS,
    leaseMs: config.CHECK_LEASE_MS,
    quotas: {
      files: config.WORKSPACE_MAX_FILES,
      bytes: config.WORKSPACE_MAX_BYTES,
      pendingBytes: config.WORKSPACE_MAX_PENDING_BYTES,
    },
  };
  const imageLimits = {
    maxPixels: config.MAX_IMAGE_PIXELS,
    memoryBytes: config.IMAGE_MEMORY_BYTES,
    timeoutMs: config.IMAGE_TIMEOUT_MS,
  };
  const decodeImage = createImageDecoder(imageLimits, config.SCRATCH_FOLDER);
  const now = () => new Date();
  const parts = assemble({ bus, db, relay, logger, now, storage, scanner, decodeImage, urls, limits });

  const checks = checkFiles(parts, {
    intervalMs: config.CHECK_INTERVAL_MS,
    atOnce: config.CHECKS_AT_ONCE,
    giveUpMs: config.CHECK_GIVE_UP_MS,
  });
  const removals = removeBytes(parts);
  parts.checks = checks;
  parts.removals = removals;
  const uploads = collectUploads(parts, { intervalMs: config.CHECK_INTERVAL_MS });
  const purges = purge(parts, { retentionMs: config.RETENTION_HOURS * hourMs });
  const sweepers = [uploads, checks, removals, purges, clearAbandoned(parts, config.SCRATCH_FOLDER)];
  await life.add({ name: 'sweepers', stop: () => Promise.all(sweepers.map((sweeper) => sweeper.stop())) });

  serve(bus, parts);
  listener.serve(parts);
  await life.add({ name: 'transfers', stop: () => listener.close() });

  const health = await serveHealth({
    port: config.PORT,
    host: config.HOST,
    checks: { database: () => db.check(), bus: () => bus.ping() },
    logger,
  });
  await life.add({ name: 'health', stop: () => health.close() });
  await life.add({ name: 'readiness', stop: () => health.setStopping() });
};
