import { fileURLToPath } from 'node:url';
import { purgeCommands } from '@cardinal/db';
import { jobGauges } from '@cardinal/jobs';
import { type Connections, createVisibility, type Projection, type Service, startProjections } from '@cardinal/service';
import { checkFiles, checkGauges } from './checks/checks.ts';
import { createImageDecoder } from './checks/image.ts';
import { openScanner } from './checks/scanner.ts';
import type { Config } from './config.ts';
import type { Resources, ServiceContext, Tables } from './context.ts';
import { serveCovers } from './covers/covers.ts';
import { serveFiles } from './files/files.ts';
import { removeBytes } from './files/removals.ts';
import { serveLinkedFiles } from './linked-files/linked-files.ts';
import { clearFolder, localFolder } from './storage/local-folder.ts';
import { projectDeletions } from './tombstones/tombstones.ts';
import { openListener } from './transfers/listener.ts';
import { createSignedUrls } from './transfers/signed-urls.ts';
import { collectUploads } from './uploads/collect.ts';

/** Makes what requests share, and starts to check files and to remove bytes. */
export const createContext = (connections: Connections<Tables>, resources: Resources): ServiceContext => {
  const base = { ...connections, ...resources, visibility: createVisibility(connections.bus) };
  const removals = removeBytes(base);
  return { ...base, removals, checks: checkFiles({ ...base, removals }) };
};

/** Serves all requests of the service. */
export const serve = (context: ServiceContext): void => {
  serveFiles(context);
  serveCovers(context);
  serveLinkedFiles(context);
};

/** The service's projections of what other services own. */
export const projectionsOf = (context: ServiceContext): Projection[] => [projectDeletions(context)];

const clearIntervalMs = 600_000;

const openStorage = async (config: Config) => {
  const url = new URL(config.STORAGE_URL);
  if (url.protocol === 'file:') return localFolder(fileURLToPath(url));
  // Loaded on demand: it costs 30 MB, and a tenth of a start.
  const { s3 } = await import('./storage/s3.ts');
  return s3(url.hostname, config);
};

/** The service with its transfers and its background work. */
export const service: Service<Config, Tables> = async (connections, config) => {
  const storage = await openStorage(config);
  const listener = await openListener(config, connections.logger);
  const publicUrl = config.PUBLIC_URL ?? `http://${config.FILES_HOST}:${listener.port}`;
  const context = createContext(connections, {
    config,
    storage,
    scanner: openScanner(config, connections.logger),
    decodeImage: createImageDecoder(config),
    urls: createSignedUrls(publicUrl, config),
  });
  const { checks, removals } = context;
  const uploads = collectUploads(context);

  serve(context);
  listener.serve(context);
  const clear = () => Promise.all([storage.clearAbandoned(), clearFolder(config.SCRATCH_FOLDER)]);
  return {
    parts: [
      startProjections(context, projectionsOf(context)),
      { name: 'files', stop: () => Promise.all([uploads, checks, removals].map((one) => one.stop())) },
      { name: 'transfers', stop: () => listener.close() },
    ],
    sweepers: [{ name: 'clear-abandoned', intervalMs: clearIntervalMs, run: clear }],
    retention: [{ purge: purgeCommands, hours: config.RETENTION_HOURS }],
    gauges: { ...jobGauges, ...checkGauges },
  };
};
