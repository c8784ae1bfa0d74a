import { setTimeout as pause } from 'node:timers/promises';
import { firstOf } from '@cardinal/runtime';

/** How long a look that is under way is waited for, ms: one that hangs keeps nothing else from being stopped. */
const patienceMs = 10_000;

/** Looks again and again, after a pause each time. @returns what stops that, and waits a while for the look under way */
export const watch = (look: () => void | Promise<void>, everyMs: number) => {
  const stopping = new AbortController();
  const watching = async () => {
    for (;;) {
      await pause(everyMs, undefined, { signal: stopping.signal });
      await look();
    }
  };
  // Rejects only where the pause was cut short by the stop.
  const ended = watching().catch(() => {});
  return {
    stop: async () => {
      stopping.abort();
      await firstOf(ended, patienceMs, () => {});
    },
  };
};
