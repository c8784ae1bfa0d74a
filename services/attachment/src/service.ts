import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { deadLetter, purgeCommands } from '@cardinal/db';
import type { Service } from '@cardinal/service';
import { createImageDecoder } from './checks/image.ts';
import { openScanner } from './checks/open-scanner.ts';
import type { Config } from './config.ts';
import { createFileHandler } from './handlers/create-file.ts';
import { deleteCoverHandler } from './handlers/delete-cover.ts';
import { deleteFileHandler } from './handlers/delete-file.ts';
import { deleteLinkedFileHandler } from './handlers/delete-linked-file.ts';
import { getCoverHandler } from './handlers/get-cover.ts';
import { getFileHandler } from './handlers/get-file.ts';
import { getFileContentHandler } from './handlers/get-file-content.ts';
import { listFilesHandler } from './handlers/list-files.ts';
import { putCoverHandler } from './handlers/put-cover.ts';
import { putLinkedFileHandler } from './handlers/put-linked-file.ts';
import { openListener } from './http/listener.ts';
import { createSignedUrls } from './links/signed-urls.ts';
import { assemble, type Parts } from './parts.ts';
import { clearFolder } from './storage/abandoned.ts';
import { openStorage } from './storage/open.ts';
import { dueFileGauges } from './store/due-files.ts';
import type { DB } from './store/tables.gen.ts';
import { onCardDeleted } from './subscribers/card-deleted.ts';
import { onSubtaskDeleted } from './subscribers/subtask-deleted.ts';
import { checkFiles } from './sweepers/check-files.ts';
import { collectUploads } from './sweepers/collect-uploads.ts';
import { removeBytes } from './sweepers/remove-bytes.ts';

/** Everything that the service answers and consumes. It emits `cover.changed` and `linked-file.changed`. */
export const serve = (bus: Pick<Bus, 'serve' | 'consume'>, parts: Parts): void => {
  bus.serve(contracts.createFile, createFileHandler(parts));
  bus.serve(contracts.getFile, getFileHandler(parts));
  bus.serve(contracts.listFiles, listFilesHandler(parts));
  bus.serve(contracts.getFileContent, getFileContentHandler(parts));
  bus.serve(contracts.deleteFile, deleteFileHandler(parts));

  bus.serve(contracts.getCover, getCoverHandler(parts));
  bus.serve(contracts.putCover, putCoverHandler(parts));
  bus.serve(contracts.deleteCover, deleteCoverHandler(parts));

  bus.serve(contracts.putLinkedFile, putLinkedFileHandler(parts));
  bus.serve(contracts.deleteLinkedFile, deleteLinkedFileHandler(parts));

  const onPoison = (event: unknown, error: unknown) => deadLetter(parts.db, event, error);
  const { attachmentOfDeletedCards, attachmentOfDeletedSubtasks } = contracts.consumers;
  bus.consume({ consumer: attachmentOfDeletedCards, handle: onCardDeleted(parts), onPoison });
  bus.consume({ consumer: attachmentOfDeletedSubtasks, handle: onSubtaskDeleted(parts), onPoison });
};

/** How often leftovers of processes that were killed are looked for. */
const clearIntervalMs = 600_000;

/** The service with its transfers, and with what it does beside. */
export const service: Service<Config, DB> = async (connections, config) => {
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
  const parts = assemble({
    ...connections,
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
  });

  const checks = checkFiles(parts, {
    intervalMs: config.CHECK_INTERVAL_MS,
    atOnce: config.CHECKS_AT_ONCE,
    giveUpMs: config.CHECK_GIVE_UP_MS,
  });
  const removals = removeBytes(parts);
  parts.checks = checks;
  parts.removals = removals;
  const uploads = collectUploads(parts, { intervalMs: config.CHECK_INTERVAL_MS });

  serve(connections.bus, parts);
  listener.serve(parts);
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
