import { type Sweeper, sweeper } from '@cardinal/runtime';
import { checkFile } from '../checks/check.ts';
import { retryPause } from '../domain/retry-pause.ts';
import type { Parts } from '../parts.ts';
import { type DueFile, putOff, takeDueFile } from '../store/due-files.ts';
import { type CheckEnd, endCheck } from '../store/end-check.ts';
import { noteRemoval } from '../store/removals.ts';
import { collectUpload } from '../uploads/collect.ts';

/** After this time another instance may take a file over: longer than a scan and a decode may take, ms. */
const leaseMs = 300_000;

interface Options {
  intervalMs: number;
  atOnce: number;
  /** After this time without a clear answer a file is rejected, in milliseconds. */
  giveUpMs: number;
}

/**
 * Drives files to the end of their checks, so that none stays on the way for ever: what arrived is checked, again and
 * again while a check gives no clear answer, and rejected in the end; what does not arrive is given up.
 */
export const checkFiles = (parts: Parts, { intervalMs, atOnce, giveUpMs }: Options): Sweeper => {
  const { db, logger, now } = parts;
  const stop = new AbortController();

  const take = (status: 'pending' | 'scanning') => {
    const moment = now();
    return db.transaction((tx) =>
      takeDueFile(tx, { now: moment, until: new Date(moment.getTime() + leaseMs), status }),
    );
  };

  const judge = async (file: DueFile): Promise<CheckEnd> => {
    const waited = now().getTime() - (file.uploaded_at ?? file.created_at).getTime();
    // Before it is touched: it may be the one that ends the process each time.
    if (waited > giveUpMs || file.storage_key === null) {
      return { status: 'rejected', rejection: 'unchecked', contentType: null, image: undefined };
    }
    const verdict = await checkFile(parts, file.storage_key, stop.signal);
    return { rejection: null, image: undefined, ...verdict };
  };

  const check = async (file: DueFile) => {
    const end = await judge(file);
    await db.transaction(async (tx) => {
      const moment = now();
      const isNews = await endCheck(tx, file, end, moment);
      // Of a file that is gone, the checks may just have left renditions behind.
      if (!isNews || end.status !== 'clean') await noteRemoval(tx, file.workspace_id, file.id, moment);
    });
    logger.info({ file_id: file.id, status: end.status, rejection: end.rejection }, 'file checked');
    if (end.status !== 'clean') parts.removals.nudge();
  };

  const later = async (file: DueFile, error: unknown) => {
    logger.warn({ err: error, file_id: file.id }, 'a file could not be checked; trying again later');
    await db.transaction((tx) => putOff(tx, file, new Date(now().getTime() + retryPause(file.attempts))));
  };

  const drain = async (status: 'pending' | 'scanning', handle: (file: DueFile) => Promise<void>) => {
    for (let file = await take(status); file; file = await take(status)) {
      try {
        await handle(file);
      } catch (error) {
        await later(file, error);
      }
    }
  };

  const checker = sweeper({
    name: 'check-files',
    intervalMs,
    logger,
    run: async () => {
      await drain('pending', (file) => collectUpload(parts, file));
      await Promise.all(Array.from({ length: atOnce }, () => drain('scanning', check)));
    },
  });
  return {
    nudge: () => checker.nudge(),
    stop() {
      stop.abort();
      return checker.stop();
    },
  };
};
