import { ConfigError, notOurs } from '@cardinal/servers';

export const say = (line: string) => void process.stdout.write(`${line}\n`);

// The reader of the output may close it (`npm run backup | head`).
process.stdout.on('error', () => {});

/** Prints further lines while something goes on, one every five seconds. @param line made anew for each */
export const withProgress = async <T>(line: () => string, work: Promise<T>): Promise<T> => {
  const timer = setInterval(() => say(`  ${line()}`), 5_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
};

export const inMegabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(bytes < 10_485_760 ? 1 : 0)} MiB`;

/**
 * Runs a program to its end: what was done is undone by `work` itself when it throws. Ctrl-C and SIGTERM abort its signal.
 * An error that somebody can do something about is one line; the exit code is 1 then, and 130 after a signal.
 */
export const runProgram = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
  const aborting = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, () => aborting.abort(new ConfigError(`stopped (${name})`)));
  try {
    await work(aborting.signal);
  } catch (error) {
    const told = aborting.signal.aborted ? aborting.signal.reason : error;
    const line = told instanceof ConfigError ? told.message : notOurs(told);
    if (line === undefined) throw told;
    process.stderr.write(`${line}\n`);
    process.exitCode = aborting.signal.aborted ? 130 : 1;
  }
};
