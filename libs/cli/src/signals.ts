import { constants } from 'node:os';

// A terminal sends Ctrl-C to the whole group and npm passes it on once more: two signals that mean one.
const sameSignalMs = 500;

/**
 * On a first SIGINT or SIGTERM the returned function reports that the user wants to stop; a second one ends the
 * process.
 */
export const watchSignals = (): (() => boolean) => {
  let askedAt: number | undefined;
  const ask = (signal: 'SIGINT' | 'SIGTERM') => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      console.error('\nstopping after the cards in hand');
    } else if (performance.now() - askedAt > sameSignalMs) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  process.on('SIGINT', ask).on('SIGTERM', ask);
  return () => askedAt !== undefined;
};
