import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isRoot } from '../config.ts';

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
export const canReach = (account: Account, path: string): boolean => {
  const folder = resolve(path);
  const parent = dirname(folder);
  const entry = lstatSync(folder, { throwIfNoEntry: false });
  if (entry) {
    const shift = entry.uid === account.uid ? 6 : entry.gid === account.gid ? 3 : 0;
    if (entry.isDirectory() && !((entry.mode >> shift) & 0o1)) return false;
  }
  return parent === folder || canReach(account, parent);
};
