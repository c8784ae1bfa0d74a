import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { appendChanges } from '@cardinal/db';
import { enqueue, type Job, jobsOf, runJobs } from '@cardinal/jobs';
import { failpoint, histogram, type Sweeper } from '@cardinal/runtime';
import { fileTypeFromFile } from 'file-type';
import type { Resources, ServiceContext, StoredFile, StoredRendition, Tx } from '../context.ts';
import { changeOfFile } from '../files/changes.ts';
import { findFile, jobOf } from '../files/queries.ts';
import { requestRemoval } from '../files/removals.ts';
import type { Storage } from '../storage/storage.ts';
import type { DecodedImage } from './image.ts';
import { isRaster } from './rules.ts';

/** Lost leases after which a file is rejected: it probably kills the process that checks it. */
const maxLostLeases = 5;

const durations = histogram({
  name: 'cardinal_file_check_duration_seconds',
  help: 'Duration of checks of files, by outcome; a check without a clear result is repeated',
  labels: ['outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
});

/** The kind of the jobs, also in the metrics of their sweeper. */
const kind = 'check-files';

/** Requests the check of a file whose bytes have arrived. */
export const requestCheck = (tx: Tx, file: Parameters<typeof jobOf>[1], now: Date): Promise<void> =>
  enqueue(tx, [{ ...jobOf(kind, file), due_at: now }], now);

/**
 * Checks files, so that none waits for ever: a check without a clear answer is repeated, and the file is rejected in
 * the end.
 */
export const checkFiles = (context: Omit<ServiceContext, 'checks'>): Sweeper => {
  const { db, feed, logger, config, removals, now } = context;

  const verdictOf = async (file: StoredFile, { lost_leases }: Job, stopping: AbortSignal): Promise<Verdict> => {
    const waited = now().getTime() - (file.uploaded_at ?? file.created_at).getTime();
    if (waited > config.CHECK_GIVE_UP_MS || lost_leases >= maxLostLeases || file.storage_key === null) {
      return { ...noImage, status: 'rejected', rejection: 'unchecked', content_type: null };
    }
    const deadline = AbortSignal.timeout(config.CHECK_TIMEOUT_MS);
    return checkFile(context, file.storage_key, AbortSignal.any([stopping, deadline]));
  };

  const check = async (job: Job, stopping: AbortSignal) => {
    const file = await db.read((tx) => findFile(tx, job.workspace_id, job.key));
    if (file?.status !== 'scanning') return undefined;
    const end = durations().startTimer({ outcome: 'unclear' });
    const verdict = await verdictOf(file, job, stopping).catch((error) => {
      end();
      throw error;
    });
    end({ outcome: verdict.status });
    await db.transaction(async (tx) => {
      const moment = now();
      const ended = await endCheck(tx, file, verdict, moment);
      // Whatever the outcome, only bytes that the file needs may stay.
      await requestRemoval(tx, file, moment);
      await appendChanges(tx, file.workspace_id, [ended && changeOfFile(file, ended, null)]);
    });
    feed.nudge(file.workspace_id);
    logger.info({ file_id: file.id, status: verdict.status, rejection: verdict.rejection }, 'file checked');
    removals.nudge();
    return undefined;
  };

  const { CHECKS_AT_ONCE: atOnce, CHECK_INTERVAL_MS: intervalMs, CHECK_LEASE_MS: leaseMs } = config;
  return runJobs(context, { kind, atOnce, intervalMs, leaseMs, run: check });
};

type Verdict = Pick<StoredFile, 'status' | 'rejection' | 'content_type' | 'width' | 'height' | 'renditions'>;

const noImage = { rejection: null, width: null, height: null, renditions: [] };

/**
 * Checks the bytes of a file: type, viruses, and whether an image decodes. Stores the renditions of an image.
 * @param key of the bytes, `<workspace>/<file>/<name>`
 * @param signal aborts when nobody waits for the answer any more
 * @throws where a check gave no clear answer; the file is checked again later
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

/** Detects the type by the bytes, else the type that no browser interprets. */
const detectType = async (path: string): Promise<string> => {
  const mime = (await fileTypeFromFile(path))?.mime ?? 'application/octet-stream';
  // Any PNG may be animated.
  return mime === 'image/apng' ? 'image/png' : mime;
};

/** Stores the outcome of a check. @returns the file; undefined where it was deleted or decided before */
const endCheck = async (tx: Tx, { workspace_id, id }: StoredFile, verdict: Verdict, now: Date) => {
  const { status, renditions } = verdict;
  return tx
    .updateTable('files')
    .set({ ...verdict, renditions: JSON.stringify(renditions), updated_at: now })
    .$if(status !== 'clean', (query) => query.set({ storage_key: null }))
    .where(({ and }) => and({ workspace_id, id, status: 'scanning' }))
    .returningAll()
    .executeTakeFirst();
};

const { count, oldestSeconds } = jobsOf(kind);

/** Files with unfinished checks, for `sqlGauges`. */
export const checkGauges = {
  cardinal_unchecked_files: {
    help: 'Uploaded files whose checks have not ended, counted up to 10,000',
    value: count,
  },
  cardinal_unchecked_files_oldest_seconds: {
    help: 'Time since the upload of the oldest unchecked file, of 10,000 at most; 0 without one',
    value: oldestSeconds,
  },
};
