import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError, createFile, endProcess, identityOf, readIfThere, replaceFile } from '@cardinal/servers';
import type { TokenRules } from './config.ts';

/** A process of the stack: its number, and what distinguishes it from a later process of that number. */
interface Noted {
  pid: number;
  identity: string;
}

/** What a running `npm start` writes down, for the next one. */
interface Run {
  supervisor: Noted;
  url?: string;
  tokens?: TokenRules;
  processes: Noted[];
}

/** Which tokens the stack takes that runs here; undefined where none runs. */
export const runningTokens = (file: string): TokenRules | undefined => {
  const run = read(file);
  return run && isAlive(run.supervisor) ? run.tokens : undefined;
};

/** Where the stack answers that runs here; undefined where none runs. */
export const runningUrl = (file: string): string | undefined => {
  const run = read(file);
  return run && isAlive(run.supervisor) ? run.url : undefined;
};

/** Whether a living `npm start` has the run file. */
export const isRunning = (file: string): boolean => {
  const run = read(file);
  return run !== undefined && isAlive(run.supervisor);
};

/** What a run noted; of one that died amid writing nothing is known. */
const read = (file: string): Run | undefined => {
  try {
    return JSON.parse(readIfThere(file));
  } catch {
    return undefined;
  }
};

const isAlive = ({ pid, identity }: Noted) => identityOf(pid) === identity;
const note = (pid: number): Noted => ({ pid, identity: identityOf(pid) ?? '' });

/**
 * Takes a dead run's file out of the way. @returns the processes that it noted; none where another start was quicker
 */
const takeOver = (file: string, dead: Run | undefined): Noted[] => {
  const aside = `${file}.old.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return [];
  }
  const taken = read(aside);
  // Between our look and our grasp another start may have taken over: give its file back.
  if (taken && taken.supervisor.identity !== dead?.supervisor.identity && isAlive(taken.supervisor)) {
    renameSync(aside, file);
    return [];
  }
  rmSync(aside);
  return taken?.processes ?? [];
};

/**
 * Takes the run file, and with it the right to run this checkout's stack, until `release`.
 * @throws ConfigError when a living `npm start` has it
 */
export const takeRunFile = (file: string) => {
  mkdirSync(dirname(file), { recursive: true });
  const run: Run = { supervisor: note(process.pid), processes: [] };
  const leftovers: Noted[] = [];
  while (!createFile(file, JSON.stringify(run, null, 2))) {
    const other = read(file);
    if (other && isAlive(other.supervisor)) {
      const where = other.url ? ` at ${other.url}` : '';
      throw new ConfigError(`Cardinal is running already${where} (process ${other.supervisor.pid})`);
    }
    leftovers.push(...takeOver(file, other));
  }
  // Kept until they have ended, because this start may be killed as well.
  run.processes = leftovers.filter(isAlive);
  const isHeld = () => read(file)?.supervisor.identity === run.supervisor.identity;
  const save = () => {
    // One that was removed is not made again: the data beside it went with it.
    if (!isHeld()) throw new ConfigError(`${file} was removed while the stack runs`);
    replaceFile(file, JSON.stringify(run, null, 2));
  };
  save();
  return {
    /** Processes that a killed run may have left, in the order they were started. */
    leftovers: [...run.processes],
    /** Notes a process that was just started. */
    add: (pid: number) => {
      run.processes = [...run.processes.filter(isAlive), note(pid)];
      save();
    },
    /** Notes where the stack answers and which tokens it takes. */
    setUp: (url: string, tokens: TokenRules) => {
      Object.assign(run, { url, tokens });
      save();
    },
    /** False once the file was removed, or is that of another start. */
    isHeld,
    release: () => {
      if (isHeld()) rmSync(file, { force: true });
    },
  };
};

/** Ends what a killed run left, last started first; Postgres takes SIGINT for "now", services SIGTERM. */
export const endLeftovers = async (leftovers: Noted[]) => {
  for (const { pid, identity } of leftovers.toReversed()) {
    await endProcess(pid, identity, identity.includes('/bin/postgres ') ? ['SIGINT', 'SIGQUIT'] : ['SIGTERM']);
  }
};
