import type { Database } from '@cardinal/db';
import { type Logger, newContext, runInContext, type Sweeper, sweeper } from '@cardinal/runtime';
import { type End, endLease, type Job, leaseJob, renewLease } from './lease.ts';

interface Surroundings<Tables> {
  db: Database<Tables>;
  logger: Logger;
  now: () => Date;
}

interface Options {
  /** Names the sweeper too. */
  kind: string;
  /**
   * How many at once in this process; but one only of those over which somebody vanished, or whose users have had more than
   * their share: whatever ends the process each time takes no other job along for ever, and whatever takes long leaves room.
   */
  atOnce?: number;
  /** Pause between two looks for jobs that nobody nudged for, ms. */
  intervalMs: number;
  /** After this time another process takes over what one had in hand that vanished, ms. */
  leaseMs: number;
  /** The longest pause before a job that failed runs again, ms. */
  longestPauseMs?: number;
  /**
   * Does a job; it may have been done before. What it throws makes it run again later.
   * @param stopping says that the process stops: what throws then is given back at once
   * @returns when to run again where it is too early
   */
  run: (job: Job, stopping: AbortSignal) => Promise<Date | undefined>;
}

/** How long a job that failed is left alone, ms: 0.5 s, longer each time. */
export const retryPause = (attempts: number, longestMs = 30_000): number => Math.min(250 * 2 ** attempts, longestMs);

/** Time that the calls of one job get, ms. */
const callsMs = 30_000;

/** Does jobs of a kind as they become due, until it is stopped. Any number of processes may. */
export const runJobs = <Tables>(surroundings: Surroundings<Tables>, options: Options): Sweeper => {
  const { kind, atOnce = 1, intervalMs, leaseMs } = options;
  const { db, logger, now } = surroundings;
  const stop = new AbortController();

  const lease = (onlyHarmless: boolean) => {
    const moment = now();
    return leaseJob(db, { kind, onlyHarmless, now: moment, until: new Date(moment.getTime() + leaseMs) });
  };
  /** Jobs in hand, by place; only the one in the first place may be other than harmless. */
  const inHand = new Map<number, Promise<void>>();
  const freePlace = () => Array.from({ length: atOnce }, (_, at) => at).find((at) => !inHand.has(at));
  const begin = (job: Job, place: number) => {
    const caller = { workspaceId: job.workspace_id, userId: job.user_id };
    const done = runInContext(newContext({ timeoutMs: callsMs, caller }), () =>
      runJob(surroundings, options, job, stop.signal),
    );
    inHand.set(
      place,
      done.then(() => {
        inHand.delete(place);
        looks.nudge();
      }),
    );
  };
  const look = async () => {
    for (let place = freePlace(); place !== undefined && !stop.signal.aborted; place = freePlace()) {
      const job = await lease(place > 0);
      if (!job) return;
      begin(job, place);
    }
  };
  const looks = sweeper({ name: kind, intervalMs, logger, run: look });
  return {
    nudge: looks.nudge,
    async stop() {
      stop.abort(new Error('stopped'));
      await looks.stop();
      await Promise.all(inHand.values());
    },
  };
};

const runJob = async <Tables>(
  { db, logger, now }: Surroundings<Tables>,
  { run, leaseMs, longestPauseMs }: Options,
  job: Job,
  stopping: AbortSignal,
): Promise<void> => {
  const { kind, key, attempts } = job;
  const inMs = (ms: number) => new Date(now().getTime() + ms);
  const begunAt = performance.now();
  const renewals = setInterval(() => {
    renewLease(db, job, inMs(leaseMs)).catch((error) =>
      logger.warn({ err: error, kind, key }, 'the lease on a job was not renewed'),
    );
  }, leaseMs / 3);

  const ended = async (): Promise<Pick<End, 'again' | 'error'>> => {
    try {
      // The stop may have come while the job was being taken.
      stopping.throwIfAborted();
      const again = await run(job, stopping);
      return again ? { again } : {};
    } catch (error) {
      if (stopping.aborted) return { again: now() };
      logger.warn({ err: error, kind, key, attempts }, 'a job failed');
      return { again: inMs(retryPause(attempts, longestPauseMs)), error: String(error) };
    } finally {
      clearInterval(renewals);
    }
  };
  const end = await ended();
  const tookS = (performance.now() - begunAt) / 1_000;
  await endLease(db, job, { ...end, now: now(), tookS }).catch((error) =>
    logger.warn({ err: error, kind, key }, 'the end of a job was not noted; it runs again once its lease is over'),
  );
};
