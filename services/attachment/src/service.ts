import { fileURLToPath } from 'node:url';
import { purgeCommands } from '@cardinal/db';
import { type Connections, createVisibility, type Service } from '@cardinal/service';
import { type CheckOptions, checkFiles } from './checks/checks.ts';
import { dueFileGauges } from './checks/due-files.ts';
import { createImageDecoder } from './checks/image.ts';
import { openScanner } from './checks/scanner.ts';
import type { Config } from './config.ts';
import type { Resources, ServiceContext } from './context.ts';
import { serveCovers } from './covers/covers.ts';
import type { Tables } from './database.ts';
import { serveFiles } from './files/files.ts';
import { removeBytes } from './files/removals.ts';
import { serveLinkedFiles } from './linked-files/linked-files.ts';
import { clearFolder, localFolder } from './storage/local-folder.ts';
import { s3 } from './storage/s3.ts';
import type { Storage } from './storage/storage.ts';
import { serveDeletions } from './tombstones/tombstones.ts';
import { openListener } from './transfers/listener.ts';
import { createSignedUrls } from './transfers/signed-urls.ts';
import { collectUploads } from './uploads/collect.ts';

/** Puts together what is shared between requests, and begins to check files and to remove bytes. */
export const createContext = (
  connections: Connections<Tables>,
  resources: Resources,
  options: CheckOptions,
): ServiceContext => {
  const base = { ...connections, ...resources, visibility: createVisibility(connections.bus) };
  const removals = removeBytes(base);
  return { ...base, removals, checks: checkFiles({ ...base, removals }, options) };
};

/** Everything that the service answers and consumes. It emits `linked-file.changed`. */
export const serve = (context: ServiceContext): void => {
  serveFiles(context);
  serveCovers(context);
  serveLinkedFiles(context);
  serveDeletions(context);
};

/** The storage that the configuration names. */
const openStorage = async ({ STORAGE_URL, S3_ENDPOINT, SCRATCH_FOLDER }: Config): Promise<Storage> => {
  const url = new URL(STORAGE_URL);
  if (url.protocol === 'file:') return localFolder(fileURLToPath(url));
  return s3({ bucket: url.hostname, endpoint: S3_ENDPOINT, scratchFolder: SCRATCH_FOLDER });
};

/** How often leftovers of processes that were killed are looked for. */
const clearIntervalMs = 600_000;

/** The service with its transfers, and with what it does beside. */
export const service: Service<Config, Tables> = async (connections, config) => {
  const storage = await openStorage(config);
  const listener = await openListener({
    host: config.FILES_HOST,
    port: config.FILES_PORT,
    origins: config.ALLOWED_ORIGINS,
    idleMs: config.TRANSFER_IDLE_MS,
    timeoutMs: config.TRANSFER_TIMEOUT_MS,
  });
  const publicUrl = config.PUBLIC_URL ?? `http://${config.FILES_HOST}:${listener.port}`;
  const imageLimits = {
    maxPixels: config.MAX_IMAGE_PIXELS,
    memoryBytes: config.IMAGE_MEMORY_BYTES,
    timeoutMs: config.IMAGE_TIMEOUT_MS,
  };
  const resources = {
    storage,
    scanner: openScanner(config, connections.logger),
    decodeImage: createImageDecoder(imageLimits, config.SCRATCH_FOLDER),
    urls: createSignedUrls({ publicUrl, secret: config.URL_SECRET, accepted: config.URL_SECRET_ACCEPTED }),
    limits: {
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
    },
  };
  const context = createContext(connections, resources, {
    intervalMs: config.CHECK_INTERVAL_MS,
    atOnce: config.CHECKS_AT_ONCE,
    giveUpMs: config.CHECK_GIVE_UP_MS,
  });
  const { checks, removals } = context;
  const uploads = collectUploads(context, { intervalMs: config.CHECK_INTERVAL_MS });

  serve(context);
  listener.serve(context);
  const clear = () => Promise.all([storage.clearAbandoned(), clearFolder(config.SCRATCH_FOLDER)]);
  return {
    parts: [
      { name: 'files', stop: () => Promise.all([uploads, checks, removals].map((one) => one.stop())) },
      { name: 'transfers', stop: () => listener.close() },
    ],
    sweepers: [{ name: 'clear-abandoned', intervalMs: clearIntervalMs, run: clear }],
    retention: [{ purge: purgeCommands, hours: config.RETENTION_HOURS }],
    gauges: dueFileGauges,
  };
};
