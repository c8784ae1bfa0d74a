import { setTimeout as pause } from 'node:timers/promises';
import { type Child, endProcess, identityOf, onSpawn } from '@cardinal/servers';

export const show = (text: string) => process.stdout.write(`${text}\n`);

/** One line of progress for the person at the terminal. */
export const say = (line: string) => show(`${new Date().toTimeString().slice(0, 8)}  ${line}`);

// Whoever read our output may leave (`npm start | head`); the stack runs on.
process.stdout.on('error', () => {});

const longestPauseMs = 10_000;
/** A process that lived this long was well: it is started again at once. */
const healthyMs = 30_000;

const pauseAfter = (failures: number) => (failures === 0 ? 0 : Math.min(125 * 2 ** failures, longestPauseMs));
export const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Starts a process and keeps it up: when it ends unexpectedly it is started again in the same place, at once the first
 * time and after growing pauses while it keeps failing.
 * @param start starts it; gets the first process, whose port it is to take over, when it starts another
 * @throws whatever the first start throws
 */
export const supervise = async <Running extends Child>(name: string, start: (former?: Running) => Promise<Running>) => {
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
    /** The process as it was first started; its address stays the same over restarts. */
    first,
    /** Ends it, so that it is started again. */
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

/**
 * Stops everything in order on Ctrl-C, SIGTERM or a closed terminal, then exits; a second signal kills at once. No
 * process of ours outlives us, also none that was only just being started.
 * @param last runs at the very end
 */
export const stopOnSignal = (last: () => void) => {
  const parts: { stop(): Promise<void> }[] = [];
  const started = new Map<number, string>();
  let underWay = false;
  onSpawn((pid) => {
    started.set(pid, identityOf(pid) ?? '');
    if (underWay) process.kill(pid, 'SIGKILL');
  });

  const killAll = () => Promise.all([...started].map(([pid, identity]) => endProcess(pid, identity, [], 5_000)));

  const stopAll = async () => {
    underWay = true;
    for (const part of parts.toReversed()) await part.stop().catch(() => {});
    await killAll();
    last();
  };

  const onSignal = async (signal: NodeJS.Signals) => {
    if (underWay) {
      await killAll();
      last();
      process.exit(1);
    }
    say(`stopping (${signal})`);
    await stopAll();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void onSignal(signal));

  return {
    /** Notes a part to stop as soon as it runs; the last one noted is stopped first. */
    began: (part: { stop(): Promise<void> }) => void parts.push(part),
    isUnderWay: () => underWay,
    /** Says in its own words what went wrong, stops everything and exits 1. */
    fail: async (error: unknown) => {
      await stopAll();
      // The last thing on the screen.
      process.stderr.write(`${reasonOf(error)}\n`);
      process.exit(1);
    },
  };
};
