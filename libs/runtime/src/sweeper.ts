import { CardinalError } from '@cardinal/contracts';
import { newContext, runInContext } from './context.ts';
import type { Logger } from './logger.ts';
import { counter } from './metrics.ts';

export interface SweeperOptions {
  name: string;
  /** Pause between two rounds, ms. */
  intervalMs: number;
  /** Share of the pause by which it varies either way, so that instances do not sweep in step; default 0.2. */
  jitter?: number;
  /**
   * Least pause between a round and a nudged one, ms, or a function of the time that the round took: further nudges in
   * it share the next round; default none.
   */
  restMs?: number | ((tookMs: number) => number);
  run: () => Promise<unknown>;
  logger: Logger;
}

export type Sweeper = ReturnType<typeof sweeper>;

/** Deadline of one round, ms. */
const callsMs = 30_000;

const failedRounds = counter({
  name: 'cardinal_sweeper_failed_rounds_total',
  help: 'Rounds of background work that failed',
  labels: ['sweeper'],
});

/** Least pause before a nudged round after a failed one, ms. It doubles with each failure, up to the usual pause. */
const failedRestMs = 100;
/** A lasting failure is logged once, and again after each such time, ms. */
const logEveryMs = 60_000;
/** A part that is away for less than this, ms, is restarted, replaced or failed over: nothing for an operator to do. */
const passingMs = 30_000;

/**
 * Runs a round at once and then again and again, never two at a time. It logs failures, without flooding the log, and
 * the first success after them. `unavailable` is logged at `info` for the first half minute, all else at `error`.
 */
export const sweeper = (options: SweeperOptions) => {
  const { name, intervalMs, jitter = 0.2, restMs = 0, run, logger } = options;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let nudged = false;
  let restedAt = 0;
  let stopped = false;
  const failed = failedRounds().labels(name);
  failed.inc(0);

  let failures = 0;
  let failingSince = 0;
  const loggedAt = { info: Number.NEGATIVE_INFINITY, error: Number.NEGATIVE_INFINITY };
  let isLogged = false;
  const onSuccess = (tookMs: number): void => {
    restedAt = Date.now() + (typeof restMs === 'number' ? restMs : restMs(tookMs));
    failures = 0;
    if (isLogged) logger.info({ sweeper: name }, 'rounds of the sweeper succeed again');
    isLogged = false;
  };
  const onFailure = (error: unknown): void => {
    const now = Date.now();
    if (failures === 0) failingSince = now;
    restedAt = now + Math.min(failedRestMs * 2 ** failures, intervalMs);
    failures += 1;
    failed.inc();
    const isAway = error instanceof CardinalError && error.code === 'unavailable';
    const level = isAway && now - failingSince < passingMs ? 'info' : 'error';
    if (now - loggedAt[level] < logEveryMs) return;
    loggedAt[level] = now;
    isLogged = true;
    logger[level]({ err: error, sweeper: name, failures }, 'a round of the sweeper failed');
  };

  const start = (): void => {
    clearTimeout(timer);
    nudged = false;
    const beganAt = Date.now();
    round = runInContext(newContext({ timeoutMs: callsMs }), async () => run())
      .then(() => onSuccess(Date.now() - beganAt), onFailure)
      .then(() => {
        round = undefined;
        if (stopped) return;
        if (nudged) startRested();
        else timer = setTimeout(start, intervalMs * (1 + jitter * (2 * Math.random() - 1)));
      });
  };
  const startRested = (): void => {
    const rest = restedAt - Date.now();
    clearTimeout(timer);
    if (rest > 0) timer = setTimeout(start, rest);
    else start();
  };
  start();

  return {
    /** Starts a round now, or after the current round and its rest, which is longer after a failure. */
    nudge(): void {
      if (stopped || nudged) return;
      nudged = true;
      if (!round) startRested();
    },
    /** Starts no further round and waits for the current one. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
};
