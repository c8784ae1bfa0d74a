import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { failpoint, histogram, type Sweeper, sweeper } from '@cardinal/runtime';
import { fileTypeFromFile } from 'file-type';
import type { ServiceContext } from '../context.ts';
import type { Tx } from '../database.ts';
import type { StoredFile, StoredRendition } from '../files/queries.ts';
import { requestRemoval } from '../files/removals.ts';
import type { Storage } from '../storage/storage.ts';
import { type DueFile, processDueFiles } from './due-files.ts';
import type { DecodedImage } from './image.ts';
import { isRaster } from './rules.ts';

/** A file over which as many processes vanished is what ends them: it is not touched again. */
const mostLostLeases = 5;

const durations = histogram({
  name: 'cardinal_file_check_duration_seconds',
  help: 'How long checks of files took, by how they ended; one without a clear answer is made again',
  labels: ['outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
});

const timed = async (check: () => Promise<Verdict>): Promise<Verdict> => {
  const begunAt = performance.now();
  let outcome = 'unclear';
  try {
    const verdict = await check();
    outcome = verdict.status;
    return verdict;
  } finally {
    durations.observe({ outcome }, (performance.now() - begunAt) / 1_000);
  }
};

/**
 * Drives files to the end of their checks, so that none stays on the way for ever: each is checked, again and again
 * while a check gives no clear answer, and rejected in the end.
 */
export const checkFiles = (context: Omit<ServiceContext, 'checks'>): Sweeper => {
  const { db, logger, config, removals, now } = context;
  const stop = new AbortController();

  const verdictOf = async (file: DueFile): Promise<Verdict> => {
    const waited = now().getTime() - (file.uploaded_at ?? file.created_at).getTime();
    if (waited > config.CHECK_GIVE_UP_MS || file.lost_leases >= mostLostLeases || file.storage_key === null) {
      return { ...noImage, status: 'rejected', rejection: 'unchecked', content_type: null };
    }
    const deadline = AbortSignal.timeout(config.CHECK_TIMEOUT_MS);
    return checkFile(context, file.storage_key, AbortSignal.any([stop.signal, deadline]));
  };

  const check = async (file: DueFile) => {
    const verdict = await timed(() => verdictOf(file));
    await db.transaction(async (tx) => {
      const moment = now();
      await endCheck(tx, file, verdict, moment);
      // Whatever the end: of the bytes, only what the file needs may stay.
      await requestRemoval(tx, file, moment);
    });
    logger.info({ file_id: file.id, status: verdict.status, rejection: verdict.rejection }, 'file checked');
    removals.nudge();
  };

  // What broke off before is checked one at a time: whatever ends the process each time takes no other along for ever.
  const checkers = Array.from({ length: config.CHECKS_AT_ONCE }, (_, at) =>
    sweeper({
      name: 'check-files',
      intervalMs: config.CHECK_INTERVAL_MS,
      logger,
      run: () => processDueFiles(context, { status: 'scanning', onlyUntouched: at > 0, stopping: stop.signal }, check),
    }),
  );
  return {
    nudge() {
      for (const checker of checkers) checker.nudge();
    },
    async stop() {
      stop.abort();
      await Promise.all(checkers.map((checker) => checker.stop()));
    },
  };
};

/** How a check ended: what it decides of the file. */
type Verdict = Pick<StoredFile, 'status' | 'rejection' | 'content_type' | 'width' | 'height' | 'renditions'>;

const noImage = { rejection: null, width: null, height: null, renditions: [] };

/**
 * Checks the bytes of a file: type, viruses, and whether an image decodes, whose renditions it stores.
 * @param key where they are, `<workspace>/<file>/<name>`
 * @param signal that nobody waits for the answer any more
 * @throws where a check gave no clear answer; the file is then checked again later
 */
const checkFile = (
  { storage, scanner, decodeImage }: Pick<ServiceContext, 'storage' | 'scanner' | 'decodeImage'>,
  key: string,
  signal: AbortSignal,
): Promise<Verdict> =>
  storage.withFile(key, signal, async (path): Promise<Verdict> => {
    failpoint('amid-check');
    const found = { ...noImage, content_type: await detectType(path) };
    if (await scanner.isInfected(path, signal)) return { ...found, status: 'infected' };
    if (!isRaster(found.content_type)) return { ...found, status: 'clean' };
    const image = await decodeImage(path, signal, (decoded) => storeRenditions(storage, key, decoded));
    if (typeof image === 'string') return { ...found, status: 'rejected', rejection: image };
    return { ...found, ...image, status: 'clean' };
  });

const storeRenditions = async (storage: Storage, key: string, image: DecodedImage) => {
  const folder = key.slice(0, key.lastIndexOf('/'));
  const renditions: StoredRendition[] = [];
  for (const { width, height, path } of image.renditions) {
    const { size } = await stat(path);
    const stored = { width, height, size, key: `${folder}/rendition-${width}.webp` };
    await storage.put(stored.key, createReadStream(path));
    failpoint('amid-renditions');
    renditions.push(stored);
  }
  return { width: image.width, height: image.height, renditions };
};

/** The type that the bytes themselves show, else the one that no browser interprets. */
const detectType = async (path: string): Promise<string> => {
  const mime = (await fileTypeFromFile(path))?.mime ?? 'application/octet-stream';
  // Any PNG may be animated.
  return mime === 'image/apng' ? 'image/png' : mime;
};

/** Writes the outcome of a check down, unless the file is gone or was decided before. */
const endCheck = async (tx: Tx, { workspace_id, id }: StoredFile, verdict: Verdict, now: Date): Promise<void> => {
  await tx
    .updateTable('files')
    .set({ ...verdict, renditions: JSON.stringify(verdict.renditions), updated_at: now, due_at: null, lease_id: null })
    .$if(verdict.status !== 'clean', (query) => query.set({ storage_key: null }))
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('status', '=', 'scanning')
    .execute();
};
