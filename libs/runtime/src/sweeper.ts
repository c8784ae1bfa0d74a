import { newContext, runInContext } from './context.ts';
import type { Logger } from './logger.ts';

export interface SweeperOptions {
  name: string;
  /** Pause between two rounds, ms. */
  intervalMs: number;
  /** Share of the pause by which it varies either way, so that instances do not sweep in step; default 0.2. */
  jitter?: number;
  /** Time that the calls of one round get, ms; default 30 s. */
  timeoutMs?: number;
  run: () => Promise<unknown>;
  logger: Logger;
}

export interface Sweeper {
  /** Starts a round now, or right after the round under way. */
  nudge(): void;
  /** Starts no further round and waits for the one under way. */
  stop(): Promise<void>;
}

/** Runs a round at once and then again and again, never two at a time. A round that fails is logged. */
export const sweeper = (options: SweeperOptions): Sweeper => {
  const { name, intervalMs, jitter = 0.2, timeoutMs = 30_000, run, logger } = options;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  const start = (): void => {
    clearTimeout(timer);
    round = runInContext(newContext({ timeoutMs }), async () => {
      try {
        await run();
      } catch (error) {
        logger.error({ err: error, sweeper: name }, 'a round of the sweeper failed');
      }
    }).then(() => {
      round = undefined;
      if (stopped) return;
      if (again) {
        again = false;
        start();
        return;
      }
      timer = setTimeout(start, intervalMs * (1 + jitter * (2 * Math.random() - 1)));
    });
  };
  start();

  return {
    nudge() {
      if (stopped) return;
      if (round) again = true;
      else start();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
};
