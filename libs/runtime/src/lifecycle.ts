import closeWithGrace from 'close-with-grace';
import type { Logger } from './logger.ts';
import { ServerProblem } from './server-problem.ts';

export interface Part {
  name: string;
  start?: () => unknown;
  stop: () => unknown;
}

/** Parts of a service in the order of their start. */
export const orderedParts = (logger: Logger) => {
  const started: Part[] = [];
  let stopping = false;

  /** Stops them in the reverse order. A stop that fails is logged and does not hold up the next one. */
  const stop = async (): Promise<void> => {
    stopping = true;
    for (let part = started.pop(); part; part = started.pop()) {
      try {
        await part.stop();
      } catch (error) {
        logger.error({ err: error, part: part.name }, 'a part did not stop');
      }
    }
  };

  return {
    stop,
    /** Starts a part and remembers to stop it. Rejects where it does not start. */
    async add(part: Part): Promise<void> {
      await part.start?.();
      started.push(part);
      // A signal came while the part started: stop it too, and start nothing after it.
      if (stopping) await stop().then(() => new Promise(() => {}));
    },
  };
};

export type Lifecycle = ReturnType<typeof lifecycle>;

/** How long stopping may take in all, ms, where nothing else is said. */
export const stopTimeoutMs = 15_000;

/**
 * The life of a process. On SIGTERM or SIGINT its parts stop in the reverse order of their start and the process exits 0;
 * an uncaught error is logged, stops them too and exits 1.
 * @param stopTimeoutMs how long stopping may take in all, ms, before the process exits 1
 */
export const lifecycle = ({ logger, ...options }: { logger: Logger; stopTimeoutMs?: number }) => {
  const parts = orderedParts(logger);
  const grace = closeWithGrace(
    {
      delay: options.stopTimeoutMs ?? stopTimeoutMs,
      logger: false,
      skip: ['beforeExit'],
      onSecondError: (error) => logger.fatal({ err: error }, 'an error while stopping'),
      onSecondSignal: (signal) => logger.warn({ signal }, 'stopped at once by a second signal'),
      onTimeout: (delay) => logger.fatal({ delay }, 'stopping took too long'),
    },
    async ({ signal, err }) => {
      // It says all there is to know; where in the code it was thrown is none of it.
      if (err instanceof ServerProblem) logger.fatal(err.message);
      else if (err) logger.fatal({ err }, 'an uncaught error');
      else logger.info({ signal }, 'stopping');
      await parts.stop();
      logger.info('stopped');
    },
  );

  return {
    add: parts.add,
    /** Stops every part as a signal would and exits. */
    close: (): void => grace.close(),
  };
};
