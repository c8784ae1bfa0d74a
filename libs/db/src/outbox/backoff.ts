import type { Logger } from '@cardinal/runtime';

const firstMs = 100;
const longestMs = 5_000;
/** A failure that lasts is told once, and again this often. */
const logEveryMs = 60_000;

/** Holds the relay back while nothing can be published, and tells so without flooding the log. */
export function createBackoff(logger: Logger) {
  let failures = 0;
  let until = 0;
  let logAgainAt = 0;
  return {
    isOver: () => Date.now() >= until,
    failed(error: unknown) {
      const now = Date.now();
      until = now + Math.min(firstMs * 2 ** failures, longestMs);
      failures += 1;
      if (now < logAgainAt) return;
      logAgainAt = now + logEveryMs;
      logger.error({ err: error, failures }, 'events wait in the outbox: publishing fails');
    },
    reset() {
      if (failures > 0) logger.info({ failures }, 'events of the outbox are published again');
      failures = 0;
      until = 0;
      logAgainAt = 0;
    },
  };
}
