import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const ps = (pid: number, column: string) =>
  execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();

/** The command line of a process, words joined by spaces; undefined when there is no such process. */
export const commandOf = (pid: number): string | undefined => {
  try {
    if (!existsSync('/proc/self/cmdline')) return ps(pid, 'command') || undefined;
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
  } catch {
    return undefined;
  }
};

/** When a process started, in the system's own words. */
const startOf = (pid: number): string => {
  if (!existsSync('/proc/self/stat')) return ps(pid, 'lstart');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The 22nd field (proc(5)); the second one may hold spaces and brackets.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};

/**
 * What tells a process from every other that had or will have its number; undefined when there is no such process.
 * A zombie is no process: it has no command line any more.
 */
export const identityOf = (pid: number): string | undefined => {
  try {
    const command = commandOf(pid);
    return command && `${startOf(pid)} ${command}`;
  } catch {
    return undefined;
  }
};
