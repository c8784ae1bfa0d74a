import { execFile, execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signalIfThere, waitFor } from '../process.ts';
import { foldersFor, postgresAccount } from './folders.ts';

const run = promisify(execFile);

/** The postmaster and its children, each with its state. */
const processesOf = (postmaster: number) =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, parent]) => Number(pid) === postmaster || Number(parent) === postmaster)
    // One that ended meanwhile stays a zombie, as its parent stands still.
    .map(([pid, , state = '']) => ({ pid: Number(pid), isStopped: /^[TZ]/.test(state) }));

/** Runs `work` while every process of a server stands still: what is on its disk then is of one moment. */
const frozen = async (postmaster: number, work: () => Promise<unknown>): Promise<void> => {
  const send = (signal: NodeJS.Signals) => {
    for (const { pid } of processesOf(postmaster)) signalIfThere(pid, signal);
  };
  // The postmaster first, or it would start new ones.
  signalIfThere(postmaster, 'SIGSTOP');
  try {
    const areStopped = () => {
      send('SIGSTOP');
      return processesOf(postmaster).every(({ isStopped }) => isStopped) || undefined;
    };
    if (!(await waitFor(areStopped, { timeoutMs: 10_000 }))) throw new Error('Postgres does not stand still');
    await work();
  } finally {
    send('SIGCONT');
  }
};

/** Makes the folder `to` hold what the data folder `from` holds, and nothing else. */
const replaceData = async (from: string, to: string) => {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { mode: 0o700 });
  await run('cp', ['-a', `${from}/.`, to]);
  rmSync(join(to, 'postmaster.pid'), { force: true });
};

/**
 * Copies a cluster as a snapshot of its volume does: all of its files as they are at one moment, whether it runs or not.
 * @param postmaster the process of the running server; undefined where it does not run
 * @param from, to folders as `startPostgres` takes them in `dir`
 */
export const copyCluster = async (postmaster: number | undefined, from: string, to: string): Promise<void> => {
  const account = postgresAccount();
  const [source, target] = [foldersFor(from, account).data, foldersFor(to, account).data];
  if (existsSync(join(from, 'password'))) copyFileSync(join(from, 'password'), join(to, 'password'));
  const copy = () => replaceData(source, target);
  await (postmaster === undefined ? copy() : frozen(postmaster, copy));
  if (account) chownSync(target, account.uid, account.gid);
};

/** Has the next start of a cluster begin as a standby, or as a recovery up to a point in time (PostgreSQL, 25.3.5 and 26.2). */
export const signalRecovery = (dir: string, as: 'standby' | 'recovery'): void => {
  const account = postgresAccount();
  const file = join(foldersFor(dir, account).data, `${as}.signal`);
  writeFileSync(file, '');
  if (account) chownSync(file, account.uid, account.gid);
};

/** Has the standby that runs on `dir` take writes; resolves when it does (PostgreSQL, pg_ctl). */
export const promoteStandby = async (dir: string): Promise<void> => {
  const account = postgresAccount();
  const { binaries, data } = foldersFor(dir, account);
  await run(join(binaries, 'bin/pg_ctl'), ['promote', '--wait', `--pgdata=${data}`], { ...account, cwd: '/' });
};
