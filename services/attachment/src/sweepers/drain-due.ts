import { v7 } from 'uuid';
import { retryPause } from '../domain/retry-pause.ts';
import type { Parts } from '../parts.ts';
import { type DueFile, keepLease, putOff, takeDueFile } from '../store/due-files.ts';

interface Drain {
  status: 'pending' | 'scanning';
  /** Leaves alone what somebody vanished over. */
  onlyUntouched?: boolean;
  /** No further file is taken, and one that fails is given back at once. */
  stopping: AbortSignal;
}

/**
 * Looks after every file that is due, one after the other. Each is ours while we are at it, under a lease that we keep
 * up; one that fails is tried again later.
 */
export const drainDue = async (
  { db, logger, now, limits: { leaseMs } }: Pick<Parts, 'db' | 'logger' | 'now' | 'limits'>,
  { status, onlyUntouched = false, stopping }: Drain,
  lookAfter: (file: DueFile) => Promise<void>,
): Promise<void> => {
  const inMs = (ms: number) => new Date(now().getTime() + ms);
  const take = () =>
    db.transaction((tx) => takeDueFile(tx, { now: now(), until: inMs(leaseMs), leaseId: v7(), status, onlyUntouched }));

  const keepUp = (file: DueFile) =>
    setInterval(() => {
      db.transaction((tx) => keepLease(tx, file, inMs(leaseMs))).catch((error) =>
        logger.warn({ err: error, file_id: file.id }, 'the lease on a file was not renewed'),
      );
    }, leaseMs / 3);

  for (let file = await take(); file; file = stopping.aborted ? undefined : await take()) {
    const renewals = keepUp(file);
    try {
      // The stop may have come while the file was being taken.
      stopping.throwIfAborted();
      await lookAfter(file);
    } catch (error) {
      const pauseMs = stopping.aborted ? 0 : retryPause(file.attempts);
      const { id, workspace_id, lease_id } = file;
      logger.warn({ err: error, file_id: id, pauseMs }, 'a file could not be looked after; trying again later');
      await db.transaction((tx) => putOff(tx, { id, workspace_id, lease_id }, inMs(pauseMs)));
    } finally {
      clearInterval(renewals);
    }
  }
};
