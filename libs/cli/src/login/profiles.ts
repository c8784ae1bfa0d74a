import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Me } from '@cardinal/client/source';
import { isWebAddress } from '../config.ts';
import { CliError, UsageError } from '../errors.ts';
import { alone } from './lock.ts';

/** How a token is had anew without its user: a refresh token, and the issuer that takes it (RFC 6749, section 6). */
export interface Renewal {
  issuer: string;
  client_id: string;
  refresh_token: string;
  /** The service that tokens are for (RFC 8707). */
  resource?: string | undefined;
}

/** An address, a token for it, and what `GET /me` said of that token. */
export interface Profile extends Me {
  url: string;
  token: string;
  renewal?: Renewal | undefined;
}

/** The one that counts as long as nobody names another. */
export const usualProfile = 'default';

const isName = (name: string) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);

/** The file of a profile. @throws UsageError where its name cannot be that of a file */
const profileFile = (folder: string, name: string): string => {
  if (isName(name)) return join(folder, `${name}.json`);
  throw new UsageError(`a profile's name has letters, digits, ".", "_" and "-", 64 at most: not "${name}"`);
};

/** Takes away from others what was given to them, and says so. */
const keepToOurselves = (file: string) => {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  chmodSync(file, 0o600);
  console.error(
    `${file} could be read by others; now it has mode 600. Whoever read it has its token: log in with a new one`,
  );
};

const isProfile = (read: Partial<Profile> | null): read is Profile =>
  typeof read?.url === 'string' &&
  isWebAddress(read.url) &&
  typeof read.token === 'string' &&
  // An API key may have no end.
  (read.token_expires_at === null || typeof read.token_expires_at === 'string') &&
  (read.renewal === undefined ||
    (typeof read.renewal?.refresh_token === 'string' && isWebAddress(read.renewal.issuer)));

/**
 * Reads a profile; undefined where there is none.
 * @throws CliError where it cannot be one; the system's error where the file is not ours
 */
export const readProfile = (folder: string, name: string): Profile | undefined => {
  const file = profileFile(folder, name);
  try {
    keepToOurselves(file);
    const profile = JSON.parse(readFileSync(file, 'utf8'));
    if (isProfile(profile)) return profile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CliError(`${file} is damaged; "cardinal login --profile ${name}" writes it anew`);
};

/** Runs what changes a profile, while no other process does. @returns what `run` returns */
export const changeProfile = <Result>(
  folder: string,
  name: string,
  run: () => Result | Promise<Result>,
): Promise<Result> => {
  const file = profileFile(folder, name);
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return alone(`${file}.lock`, run);
};

/** Writes a profile whole or not at all, where nobody else can read it; within {@link changeProfile}. @returns its file */
export const writeProfile = (folder: string, name: string, profile: Profile): string => {
  const file = profileFile(folder, name);
  const draft = `${file}.${process.pid}`;
  try {
    // `wx`: a file that is there already would keep its mode.
    writeFileSync(draft, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return file;
};

/** Within {@link changeProfile}. @returns whether there was one */
export const removeProfile = (folder: string, name: string): boolean => {
  const file = profileFile(folder, name);
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  rmSync(file, { force: true });
  return isThere;
};

/** The names of all profiles, in the order of the alphabet. */
export const profileNames = (folder: string): string[] => {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return files
      .map((name) => name.slice(0, -'.json'.length))
      .filter(isName)
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};
