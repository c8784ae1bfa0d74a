import { histogram, type Sweeper, sweeper } from '@cardinal/runtime';
import { checkFile } from '../checks/check.ts';
import type { Parts } from '../parts.ts';
import type { DueFile } from '../store/due-files.ts';
import { type CheckEnd, endCheck } from '../store/end-check.ts';
import { noteRemoval } from '../store/removals.ts';
import { drainDue } from './drain-due.ts';

/** A file over which as many processes vanished is what ends them: it is not touched again. */
const mostLostLeases = 5;

const durations = histogram({
  name: 'cardinal_file_check_duration_seconds',
  help: 'How long checks of files took, by how they ended; one without a clear answer is made again',
  labels: ['outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
});

interface Options {
  intervalMs: number;
  atOnce: number;
  /** After this time without a clear answer a file is rejected, in milliseconds. */
  giveUpMs: number;
}

const timed = async (judge: () => Promise<CheckEnd>): Promise<CheckEnd> => {
  const begunAt = performance.now();
  let outcome = 'unclear';
  try {
    const end = await judge();
    outcome = end.status;
    return end;
  } finally {
    durations.observe({ outcome }, (performance.now() - begunAt) / 1_000);
  }
};

/**
 * Drives files to the end of their checks, so that none stays on the way for ever: each is checked, again and again
 * while a check gives no clear answer, and rejected in the end.
 */
export const checkFiles = (parts: Parts, { intervalMs, atOnce, giveUpMs }: Options): Sweeper => {
  const { db, logger, limits, now } = parts;
  const stop = new AbortController();

  const judge = async (file: DueFile): Promise<CheckEnd> => {
    const waited = now().getTime() - (file.uploaded_at ?? file.created_at).getTime();
    if (waited > giveUpMs || file.lost_leases >= mostLostLeases || file.storage_key === null) {
      return { status: 'rejected', rejection: 'unchecked', contentType: null, image: undefined };
    }
    const deadline = AbortSignal.timeout(limits.checkTimeoutMs);
    const verdict = await checkFile(parts, file.storage_key, AbortSignal.any([stop.signal, deadline]));
    return { rejection: null, image: undefined, ...verdict };
  };

  const check = async (file: DueFile) => {
    const end = await timed(() => judge(file));
    await db.transaction(async (tx) => {
      const moment = now();
      await endCheck(tx, file, end, moment);
      // Whatever the end: of the bytes, only what the file needs may stay.
      await noteRemoval(tx, file, moment);
    });
    logger.info({ file_id: file.id, status: end.status, rejection: end.rejection }, 'file checked');
    parts.removals.nudge();
  };

  // What broke off before is checked one at a time: whatever ends the process each time takes no other along for ever.
  const checkers = Array.from({ length: atOnce }, (_, at) =>
    sweeper({
      name: 'check-files',
      intervalMs,
      logger,
      run: () => drainDue(parts, { status: 'scanning', onlyUntouched: at > 0, stopping: stop.signal }, check),
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
