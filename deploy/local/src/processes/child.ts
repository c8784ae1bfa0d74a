import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { inheritedEnvironment } from '../config.ts';

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of the local stack. */
export interface Child {
  pid: number;
  /** Resolves once the process is gone; never rejects. */
  exited: Promise<Exit>;
  hasExited(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Asks with `signal`, waits `graceMs` milliseconds, then kills; resolves when the process is gone. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>;
}

export interface SpawnOptions {
  command: string;
  args: string[];
  /** Both outputs are appended to this file: the process outlives a broken parent and costs it nothing. */
  logFile: string;
  env?: Record<string, string>;
  cwd?: string;
  uid?: number | undefined;
  gid?: number | undefined;
}

const listeners = new Set<(pid: number, command: string) => void>();

/** Calls `listener` for every process started from now on, as soon as it has a process id. */
export const onSpawn = (listener: (pid: number, command: string) => void) => void listeners.add(listener);

const settle = (child: ChildProcess, graceMs: number, exited: Promise<Exit>, signal: NodeJS.Signals) => {
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  return exited.then(() => clearTimeout(timer));
};

/**
 * Starts a process in a session of its own, so that Ctrl-C in a terminal reaches only us and we stop in our order.
 * @throws when the program cannot be run at all
 */
export const startChild = async (options: SpawnOptions): Promise<Child> => {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a', 0o644);
  try {
    const child = spawn(options.command, options.args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...inheritedEnvironment(), ...options.env },
      cwd: options.cwd,
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    });
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await once(child, 'spawn');
    try {
      for (const listener of listeners) listener(child.pid as number, [options.command, ...options.args].join(' '));
    } catch (error) {
      // A process that could not be noted would be nobody's to end.
      child.kill('SIGKILL');
      throw error;
    }
    return {
      pid: child.pid as number,
      exited,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      kill: (signal) => void child.kill(signal),
      stop: async (signal = 'SIGTERM', graceMs = 10_000) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        await settle(child, graceMs, exited, signal);
      },
    };
  } finally {
    closeSync(log);
  }
};
