import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from '../processes/end.ts';
import { commandOf, identityOf } from '../processes/identity.ts';

const lines = (data: string): string[] => {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
};

/** The process id of the postmaster that serves `data`; undefined when none does, whatever postmaster.pid says. */
const postmasterOf = (data: string): number | undefined => {
  const pid = Number(lines(data)[0]);
  if (!pid) return undefined;
  return commandOf(pid)?.includes(data) ? pid : undefined;
};

/** True when the postmaster `pid` takes connections (its own word, the eighth line of postmaster.pid). */
export const isReady = (data: string, pid: number) => {
  const found = lines(data);
  return Number(found[0]) === pid && found[7]?.trim() === 'ready';
};

/** The port of the postmaster that serves `data`; undefined when none does. */
export const portOf = (data: string): number | undefined => (postmasterOf(data) ? Number(lines(data)[3]) : undefined);

/**
 * Ends the postmaster that an earlier, killed run left on `data`; a postmaster.pid whose process is gone, or is some
 * other program by now, is removed.
 */
export const endLeftover = async (data: string) => {
  const pid = postmasterOf(data);
  const identity = pid && identityOf(pid);
  if (pid && identity) await endProcess(pid, identity, ['SIGINT', 'SIGQUIT']);
  else rmSync(join(data, 'postmaster.pid'), { force: true });
};
