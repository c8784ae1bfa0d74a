import type { Database } from '@cardinal/db';
import { type Logger, newContext, runInContext, type Sweeper, sweeper } from '@cardinal/runtime';
import { type End, endLease, type Job, leaseJob, renewLease } from './lease.ts';

interface Resources<Tables> {
  db: Database<Tables>;
  logger: Logger;
  now: () => Date;
}

interface Options {
  /** The kind of the jobs, which is also the name of the sweeper. */
  kind: string;
  /**
   * The most jobs that this process runs at once; 1 by default. Of jobs that lost a lease, or of users above their
   * share of time, it runs one at a time. So a job that crashes the process each time does not crash several others
   * with it for ever, and slow jobs leave room for others.
   */
  atOnce?: number;
  /** Pause between two polls without a nudge, ms. */
  intervalMs: number;
  /** The duration of a lease, ms. When a process crashes, another one takes its jobs after this time. */
  leaseMs: number;
  /** The longest pause before a job that failed runs again, ms. */
  longestPauseMs?: number;
  /**
   * Runs a job. It can run more than once, so it is idempotent. Where it throws, the job runs again later.
   * @param stopping aborts when the process stops: where `run` throws after that, the job is released at once
   * @returns when to run again, where it is too early; undefined where the job is done
   */
  run: (job: Job, stopping: AbortSignal) => Promise<Date | undefined>;
}

/**
 * Computes the pause after a failure, ms: 0.5 s after the first attempt, twice as long after each further one, up to
 * `longestMs`.
 */
export const retryPause = (attempts: number, longestMs = 30_000): number => Math.min(250 * 2 ** attempts, longestMs);

/** The deadline of the requests that a job makes, ms. */
const callsMs = 30_000;

/**
 * Runs the jobs of a kind as they become due, until it is stopped. Any number of processes can run one kind.
 * @returns the sweeper
 */
export const runJobs = <Tables>(resources: Resources<Tables>, options: Options): Sweeper => {
  const { kind, atOnce = 1, intervalMs, leaseMs } = options;
  const { db, logger, now } = resources;
  const stop = new AbortController();

  const lease = (onlyRegular: boolean) => {
    const moment = now();
    return leaseJob(db, { kind, onlyRegular, now: moment, until: new Date(moment.getTime() + leaseMs) });
  };
  /** The running jobs, by slot. Only slot 0 takes jobs that lost a lease, and jobs of users above their share. */
  const running = new Map<number, Promise<void>>();
  const freeSlot = () => Array.from({ length: atOnce }, (_, at) => at).find((at) => !running.has(at));
  const begin = (job: Job, slot: number) => {
    const caller = { workspaceId: job.workspace_id, userId: job.user_id };
    const done = runInContext(newContext({ timeoutMs: callsMs, caller }), () =>
      runJob(resources, options, job, stop.signal),
    );
    running.set(
      slot,
      done.then(() => {
        running.delete(slot);
        polls.nudge();
      }),
    );
  };
  const poll = async () => {
    for (let slot = freeSlot(); slot !== undefined && !stop.signal.aborted; slot = freeSlot()) {
      const job = await lease(slot > 0);
      if (!job) return;
      begin(job, slot);
    }
  };
  const polls = sweeper({ name: kind, intervalMs, logger, run: poll });
  return {
    nudge: polls.nudge,
    async stop() {
      stop.abort(new Error('stopped'));
      await polls.stop();
      await Promise.all(running.values());
    },
  };
};

const runJob = async <Tables>(
  { db, logger, now }: Resources<Tables>,
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

  const outcome = async (): Promise<Pick<End, 'again' | 'error'>> => {
    try {
      // The process may have begun to stop while it leased the job.
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
  const end = await outcome();
  const durationS = (performance.now() - begunAt) / 1_000;
  await endLease(db, job, { ...end, now: now(), durationS }).catch((error) =>
    logger.warn({ err: error, kind, key }, 'the end of a job was not stored; it runs again when its lease expires'),
  );
};
