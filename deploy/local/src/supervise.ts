import { endProcess, identityOf, onSpawn } from '@cardinal/servers';

export const show = (text: string) => process.stdout.write(`${text}\n`);

/** One line of progress for the person at the terminal. */
export const say = (line: string) => show(`${new Date().toTimeString().slice(0, 8)}  ${line}`);

// The reader of our output may leave (`npm start | head`); the stack keeps running.
process.stdout.on('error', () => {});

export const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

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
    /** Prints what went wrong, stops everything and exits 1. */
    fail: async (error: unknown) => {
      await stopAll();
      // The last thing on the screen.
      process.stderr.write(`${reasonOf(error)}\n`);
      process.exit(1);
    },
  };
};
