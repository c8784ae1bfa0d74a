import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { failpoint, histogram, type Sweeper } from '@cardinal/runtime';
import { fileTypeFromFile } from 'file-type';
import type { Resources, ServiceContext, StoredFile, StoredRendition, Tx } from '../context.ts';
import { requestRemoval } from '../files/removals.ts';
import type { Storage } from '../storage/storage.ts';
import { sweepDueFiles } from './due-files.ts';
import type { DecodedImage } from './image.ts';
import { isRaster } from './rules.ts';

/** A file over which as many processes vanished is what ends them: it is not touched again. */
const maxLostLeases = 5;

const durations = histogram({
  name: 'cardinal_file_check_duration_seconds',
  help: 'How long checks of files took, by how they ended; one without a clear answer is made again',
  labels: ['outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
});

/**
 * Drives files to the end of their checks, so that none stays on the way for ever: each is checked, again and again
 * while a check gives no clear answer, and rejected in the end.
 */
export const checkFiles = (context: Omit<ServiceContext, 'checks'>): Sweeper => {
  const { db, logger, config, removals, now } = context;

  const verdictOf = async (file: StoredFile, stopping: AbortSignal): Promise<Verdict> => {
    const waited = now().getTime() - (file.uploaded_at ?? file.created_at).getTime();
    if (waited > config.CHECK_GIVE_UP_MS || file.lost_leases >= maxLostLeases || file.storage_key === null) {
      return { ...noImage, status: 'rejected', rejection: 'unchecked', content_type: null };
    }
    const deadline = AbortSignal.timeout(config.CHECK_TIMEOUT_MS);
    return checkFile(context, file.storage_key, AbortSignal.any([stopping, deadline]));
  };

  const check = async (file: StoredFile, stopping: AbortSignal) => {
    const end = durations.startTimer({ outcome: 'unclear' });
    const verdict = await verdictOf(file, stopping).catch((error) => {
      end();
      throw error;
    });
    end({ outcome: verdict.status });
    await db.transaction(async (tx) => {
      const moment = now();
      await endCheck(tx, file, verdict, moment);
      // Whatever the end: of the bytes, only what the file needs may stay.
      await requestRemoval(tx, file, moment);
    });
    logger.info({ file_id: file.id, status: verdict.status, rejection: verdict.rejection }, 'file checked');
    removals.nudge();
  };

  return sweepDueFiles(context, { name: 'check-files', status: 'scanning', atOnce: config.CHECKS_AT_ONCE }, check);
};

type Verdict = Pick<StoredFile, 'status' | 'rejection' | 'content_type' | 'width' | 'height' | 'renditions'>;

const noImage = { rejection: null, width: null, height: null, renditions: [] };

/**
 * Checks the bytes of a file: type, viruses, and whether an image decodes, whose renditions it stores.
 * @param key where they are, `<workspace>/<file>/<name>`
 * @param signal that nobody waits for the answer any more
 * @throws where a check gave no clear answer; the file is then checked again later
 */
const checkFile = ({ storage, scanner, decodeImage }: Resources, key: string, signal: AbortSignal): Promise<Verdict> =>
  storage.withFile(key, signal, async (path): Promise<Verdict> => {
    failpoint('amid-check');
    const found = { ...noImage, content_type: await detectType(path) };
    if (await scanner(path, signal)) return { ...found, status: 'infected' };
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
  const { status, renditions } = verdict;
  await tx
    .updateTable('files')
    .set({ ...verdict, renditions: JSON.stringify(renditions), updated_at: now, due_at: null, lease_id: null })
    .$if(status !== 'clean', (query) => query.set({ storage_key: null }))
    .where(({ and }) => and({ workspace_id, id, status: 'scanning' }))
    .execute();
};
