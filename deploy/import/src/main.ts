import { constants } from 'node:os';
import { runCommand } from './command.ts';
import { readEnvironment } from './config.ts';

// A terminal sends Ctrl-C to the whole group and npm passes it on once more: two signals that mean one.
const sameSignalMs = 500;

/**
 * On a first SIGINT or SIGTERM the returned function reports that the user wants to stop; a second one ends the
 * process.
 */
const watchSignals = (): (() => boolean) => {
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

process.exitCode = await runCommand(process.argv.slice(2), readEnvironment(), watchSignals());
