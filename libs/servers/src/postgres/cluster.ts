import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '../config.ts';
import { readIfThere, replaceFile } from '../files.ts';
import { commandOf, endProcess, identityOf } from '../process.ts';
import { type Account, finishedMark, type PostgresFolders } from './folders.ts';

const run = promisify(execFile);

/**
 * Makes the cluster unless it is there. One that was left half made is made again: nothing was ever stored in it.
 * Locale: the built-in C.UTF-8, the same on every machine.
 */
export const ensureCluster = async (
  { binaries, data }: PostgresFolders,
  account: Account | undefined,
  password: string,
) => {
  const finished = finishedMark(data);
  if (existsSync(finished)) return;
  for (const entry of readdirSync(data)) rmSync(join(data, entry), { recursive: true });
  // Beside the data, where the user that runs Postgres can enter.
  const passwordFile = `${data}.password`;
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  try {
    await run(
      join(binaries, 'bin/initdb'),
      [
        `--pgdata=${data}`,
        `--pwfile=${passwordFile}`,
        '--username=postgres',
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        // What pg_trgm takes for a letter: in C, those of ASCII alone.
        `--lc-ctype=${process.platform === 'darwin' ? 'UTF-8' : 'C.UTF-8'}`,
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
      ],
      { ...account, cwd: '/', env: inheritedEnvironment() },
    );
  } finally {
    rmSync(passwordFile);
  }
  writeFileSync(finished, '');
};

/** The superuser's password of the cluster in `dir`, made on first use. */
export const superuserPassword = (dir: string): string => {
  const file = join(dir, 'password');
  if (!existsSync(file)) replaceFile(file, randomBytes(18).toString('base64url'), 0o600);
  return readFileSync(file, 'utf8').trim();
};

const linesOfPidFile = (data: string): string[] => readIfThere(join(data, 'postmaster.pid')).split('\n');

/**
 * The process id of the postmaster that serves `data`; undefined when there is none, even if postmaster.pid names one.
 */
const postmasterOf = (data: string): number | undefined => {
  const pid = Number(linesOfPidFile(data)[0]);
  return pid && commandOf(pid)?.includes(data) ? pid : undefined;
};

/**
 * True when the postmaster `pid` takes connections, if only to read as a standby's (the eighth line of postmaster.pid).
 */
export const isReady = (data: string, pid: number) => {
  const found = linesOfPidFile(data);
  return Number(found[0]) === pid && ['ready', 'standby'].includes(found[7]?.trim() ?? '');
};

/** The port of the postmaster that serves `data`; undefined when none does. */
export const portOf = (data: string): number | undefined =>
  postmasterOf(data) ? Number(linesOfPidFile(data)[3]) : undefined;

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
