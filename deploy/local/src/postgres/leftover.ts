import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf } from '../processes/identity.ts';
import { waitFor } from '../processes/wait.ts';

const lines = (data: string): string[] => {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
};

/** The process id of the postmaster that serves `data`; undefined when none does, whatever postmaster.pid says. */
export const postmasterOf = (data: string): number | undefined => {
  const pid = Number(lines(data)[0]);
  if (!pid) return undefined;
  return commandOf(pid)?.includes(data) ? pid : undefined;
};

/** True when the postmaster `pid` takes connections (its own word, the eighth line of postmaster.pid). */
export const isReady = (data: string, pid: number) => {
  const found = lines(data);
  return Number(found[0]) === pid && found[7]?.trim() === 'ready';
};

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
};

/**
 * Ends the postmaster that an earlier, killed run left on `data`; a postmaster.pid whose process is gone, or is some
 * other program by now, is removed.
 */
export const endLeftover = async (data: string) => {
  const pid = postmasterOf(data);
  if (pid === undefined) {
    rmSync(join(data, 'postmaster.pid'), { force: true });
    return;
  }
  const gone = () => (commandOf(pid) === undefined ? true : undefined);
  signal(pid, 'SIGINT');
  if (await waitFor(gone, { timeoutMs: 10_000 })) return;
  signal(pid, 'SIGQUIT');
  if (await waitFor(gone, { timeoutMs: 5_000 })) return;
  signal(pid, 'SIGKILL');
  await waitFor(gone, { timeoutMs: 5_000 });
};
