import closeWithGrace from 'close-with-grace';
import type { Logger } from './logger.ts';
import { ServerProblem } from './server-problem.ts';

export interface Part {
  name: string;
  start?: () => unknown;
  stop: () => unknown;
}

/** Starts the parts of a service in order, and stops them in reverse. */
export const orderedParts = (logger: Logger) => {
  const started: Part[] = [];
  let stopping = false;

  /** Stops parts in reverse. A stop that fails is logged, and the next one runs. */
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
    /** Starts a part, to be stopped later. Rejects where it does not start. */
    async add(part: Part): Promise<void> {
      await part.start?.();
      started.push(part);
      // A signal arrived while the part started: stop it too, and start nothing after it.
      if (stopping) await stop().then(() => new Promise(() => {}));
    },
  };
};

export type Lifecycle = ReturnType<typeof lifecycle>;

/** Time for stopping everything, ms, unless set otherwise. */
export const stopTimeoutMs = 15_000;

/**
 * Manages the life of a process. On SIGTERM or SIGINT its parts stop in reverse and the process exits 0. An uncaught
 * error is logged, stops them too, and exits 1.
 * @param stopTimeoutMs time for stopping everything, ms; then the process exits 1
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
      // Its message is complete; a stack adds nothing.
      if (err instanceof ServerProblem) logger.fatal(err.message);
      else if (err) logger.fatal({ err }, 'an uncaught error');
      else logger.info({ signal }, 'stopping');
      await parts.stop();
      logger.info('stopped');
    },
  );

  return {
    add: parts.add,
    /** Stops every part as a signal would, and exits. */
    close: (): void => grace.close(),
  };
};
