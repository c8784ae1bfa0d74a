import { constants } from 'node:os';

// A terminal sends Ctrl-C to the whole group and npm passes it on once more: two signals, one wish.
const oneWishMs = 500;

/**
 * Lets the first SIGINT or SIGTERM ask for a stop and a second one, half a second later or more, end the process.
 * @returns whether a stop was asked for
 */
export const watchForStop = (): (() => boolean) => {
  let askedAt: number | undefined;
  const ask = (signal: 'SIGINT' | 'SIGTERM') => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      console.error('\nstopping after the rows in hand');
    } else if (performance.now() - askedAt > oneWishMs) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  process.on('SIGINT', ask).on('SIGTERM', ask);
  return () => askedAt !== undefined;
};
