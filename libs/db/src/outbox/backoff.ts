import type { Logger } from '@cardinal/runtime';

const firstMs = 100;
const longestMs = 5_000;
/** A failure that lasts is told once, and again this often. */
const logEveryMs = 60_000;

/** Holds the relay back while nothing can be published, and tells of failures without flooding the log. */
export interface Backoff {
  isOver(): boolean;
  /** Nothing could be read or published. */
  failed(error: unknown): void;
  /** A batch went out, but for `failures` events of it. */
  succeeded(failures: number, error: unknown): void;
}

/** A backoff that begins in good health. */
export function createBackoff(logger: Logger): Backoff {
  let attempts = 0;
  let until = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let told = false;

  const tell = (line: object, message: string) => {
    if (Date.now() - loggedAt < logEveryMs) return;
    loggedAt = Date.now();
    told = true;
    logger.error(line, message);
  };

  return {
    isOver: () => Date.now() >= until,
    failed(error) {
      until = Date.now() + Math.min(firstMs * 2 ** attempts, longestMs);
      attempts += 1;
      tell({ err: error, attempts }, 'events wait in the outbox: publishing fails');
    },
    succeeded(failures, error) {
      attempts = 0;
      until = 0;
      if (failures > 0) {
        tell({ err: error, failures }, 'some events wait in the outbox: publishing them fails');
      } else if (told) {
        told = false;
        logger.info('events of the outbox are published again');
      }
    },
  };
}
