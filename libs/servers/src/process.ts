import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inheritedEnvironment } from './config.ts';
import { readIfThere, readLog, sizeOf } from './files.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that we started. */
export type Child = Awaited<ReturnType<typeof startChild>>;

export interface SpawnOptions {
  command: string;
  args: string[];
  /** Both outputs are appended to this file: the process outlives a broken parent and costs it nothing. */
  logFile: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Its standard input stays open until `finishInput`; otherwise it has none. */
  hasInput?: boolean;
  uid?: number | undefined;
  gid?: number | undefined;
}

const listeners = new Set<(pid: number, command: string) => void>();

/**
 * Calls `listener` for every process started from now on, as soon as it has a process id.
 * @returns ends that
 */
export const onSpawn = (listener: (pid: number, command: string) => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/**
 * Starts a process in a session of its own: Ctrl-C in a terminal then reaches only us, and we stop everything in order.
 * @throws when the program cannot be run at all
 */
export const startChild = async ({ command, args, logFile, env, hasInput, ...place }: SpawnOptions) => {
  mkdirSync(dirname(logFile), { recursive: true });
  const from = sizeOf(logFile);
  const log = openSync(logFile, 'a', 0o644);
  try {
    const child = spawn(command, args, {
      detached: true,
      stdio: [hasInput ? 'pipe' : 'ignore', log, log],
      env: { ...inheritedEnvironment(), ...env },
      ...place,
    });
    // It may be gone before it reads.
    child.stdin?.on('error', () => {});
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await once(child, 'spawn');
    const pid = child.pid as number;
    try {
      for (const listener of listeners) listener(pid, [command, ...args].join(' '));
    } catch (error) {
      // A process that could not be noted would never be ended.
      child.kill('SIGKILL');
      throw error;
    }
    const hasExited = () => child.exitCode !== null || child.signalCode !== null;
    const output = () => readLog(logFile, from);
    return {
      pid,
      /** Resolves once the process is gone; never rejects. */
      exited,
      hasExited,
      /** Writes to its standard input, and closes it. */
      finishInput: (input: string): void => void child.stdin?.end(input),
      kill: (signal: NodeJS.Signals): void => void child.kill(signal),
      /** Asks with `signal`, waits `graceMs` milliseconds, then kills; resolves when the process is gone. */
      stop: async (signal: NodeJS.Signals = 'SIGTERM', graceMs = 10_000): Promise<void> => {
        if (hasExited()) return;
        child.kill(signal);
        const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
        await exited;
        clearTimeout(timer);
      },
      output,
      /** The last lines of that, for an error message. */
      lastWords: () => output().trimEnd().split('\n').slice(-15).join('\n'),
    };
  } finally {
    closeSync(log);
  }
};

/** The most that counts of the time between two ticks, ms. */
const longestTickMs = 500;

/**
 * Measures time as this process lives it. While the machine stands still (a suspended laptop, a stopped virtual machine), what is
 * waited for does not come nearer, and nor does its deadline.
 */
const startClock = () => {
  let [lived, last] = [0, performance.now()];
  const tick = () => {
    const now = performance.now();
    lived += Math.min(now - last, longestTickMs);
    last = now;
    return lived;
  };
  const timer = setInterval(tick, longestTickMs / 5).unref();
  return { livedMs: tick, stop: () => clearInterval(timer) };
};

/**
 * Polls `probe` until it gives something, at most `timeoutMs` milliseconds of this process' own time.
 * @returns what `probe` gave, or undefined when the time is over or `child` ended first
 */
export const waitFor = async <T>(
  probe: () => T | undefined | Promise<T | undefined>,
  { timeoutMs, everyMs = 20, child }: { timeoutMs: number; everyMs?: number; child?: Child },
): Promise<T | undefined> => {
  const clock = startClock();
  try {
    while (clock.livedMs() < timeoutMs) {
      const found = await probe();
      if (found !== undefined) return found;
      if (child?.hasExited()) return undefined;
      await pause(everyMs);
    }
    return undefined;
  } finally {
    clock.stop();
  }
};

const ps = (pid: number, column: string) => {
  try {
    return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
};

/** The command line of a process, arguments joined by spaces; undefined when there is no such process. */
export const commandOf = (pid: number): string | undefined => {
  if (!existsSync('/proc/self/cmdline')) return ps(pid, 'command') || undefined;
  return readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() || undefined;
};

/** When a process started, as the system prints it. */
const startOf = (pid: number): string => {
  if (!existsSync('/proc/self/stat')) return ps(pid, 'lstart');
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The 22nd field (proc(5)); the second one may hold spaces and brackets.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};

/**
 * Identifies a process among all that had or will have its number; undefined when there is no such process. A zombie
 * counts as none: it has no command line any more.
 */
export const identityOf = (pid: number): string | undefined => {
  const command = commandOf(pid);
  return command && `${startOf(pid)} ${command}`;
};

/** Sends a signal to a process, unless it is gone already. */
export const signalIfThere = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
};

/**
 * Ends a process that is not our child, if it still is the one that `identity` names: each signal in turn, `graceMs`
 * milliseconds apart, SIGKILL at last.
 */
export const endProcess = async (pid: number, identity: string, signals: NodeJS.Signals[], graceMs = 10_000) => {
  const gone = () => (identityOf(pid) === identity ? undefined : true);
  for (const name of [...signals, 'SIGKILL' as const]) {
    if (gone()) return;
    signalIfThere(pid, name);
    await waitFor(gone, { timeoutMs: graceMs });
  }
};
