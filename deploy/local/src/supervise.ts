import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from '@cardinal/servers';
import { say } from './say.ts';

/** A process that is started again whenever it ends by itself. */
export interface Supervised<Running extends Child> {
  /** The process as it was first started; its address stays the same over restarts. */
  first: Running;
  /** Ends it, so that it is started again. */
  restart(): Promise<void>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

const longestPauseMs = 10_000;
/** A process that lived this long was well: it is started again at once. */
const healthyMs = 30_000;

const pauseAfter = (failures: number) => (failures === 0 ? 0 : Math.min(125 * 2 ** failures, longestPauseMs));
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Starts a process and keeps it up: when it ends unexpectedly it is started again in the same place, at once the first
 * time and after growing pauses while it keeps failing.
 * @param start starts it; gets the first process, whose port it is to take over, when it starts another
 * @throws whatever the first start throws
 */
export const supervise = async <Running extends Child>(
  name: string,
  start: (former?: Running) => Promise<Running>,
): Promise<Supervised<Running>> => {
  const stopping = new AbortController();
  const first = await start();
  let running: Running | undefined = first;
  let asked = false;

  const startAgain = async (failures: number): Promise<Running | undefined> => {
    await pause(pauseAfter(failures), undefined, { signal: stopping.signal });
    try {
      const child = await start(first);
      say(`${name} is back`);
      return child;
    } catch (error) {
      if (!stopping.signal.aborted) say(`${name} did not come back: ${reasonOf(error)}`);
      return undefined;
    }
  };

  const keepUp = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const since = performance.now();
      const exit = await running?.exited;
      if (stopping.signal.aborted) return;
      if (exit && !asked)
        say(`${name} ended unexpectedly (${exit.signal ?? `exit code ${exit.code}`}); starting it again`);
      asked = false;
      if (performance.now() - since > healthyMs) failures = 0;
      running = await startAgain(failures);
      failures += 1;
    }
  };
  // Rejects only where a pause was cut short by the stop.
  void keepUp().catch(() => {});

  return {
    first,
    restart: async () => {
      asked = true;
      await running?.stop();
    },
    stop: async () => {
      stopping.abort();
      await running?.stop();
      say(`${name} stopped`);
    },
  };
};
