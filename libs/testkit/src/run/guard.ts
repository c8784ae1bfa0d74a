import { endRun } from './folder.ts';

/**
 * A process of its own beside every test run: its input closes when the run is over, also when the run was killed, and
 * then it ends what the run left behind. Ctrl-C is the run's business, not the guard's.
 */
const [, , run] = process.argv;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdin.resume();
process.stdin.once('close', () => {
  if (run) endRun(run);
});
