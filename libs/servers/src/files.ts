import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder that only we can enter; the folders above it stay open, since other users run some of our servers. */
export const makePrivateFolder = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
};

/**
 * Writes a file as a whole or not at all: who reads it sees the old content or the new, also when the disk is full.
 * @param mode of the file, 0o644 by default
 */
export const replaceFile = (file: string, content: string, mode = 0o644): void => {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, content, { mode });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
};

/**
 * Makes a file with its content in one step, unless it is there already.
 * @returns false where it existed
 */
export const createFile = (file: string, content: string, mode = 0o644): boolean => {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft);
  }
};

/** Passwords by name, made on first use and kept in a file that only we can read. */
export const ensurePasswords = <Name extends string>(file: string, names: readonly Name[]): Record<Name, string> => {
  const kept: Record<string, string> = JSON.parse(readIfThere(file) || '{}');
  const make = (name: Name) => [name, kept[name] ?? randomBytes(24).toString('base64url')];
  const all = Object.fromEntries(names.map(make)) as Record<Name, string>;
  if (names.some((name) => kept[name] === undefined)) replaceFile(file, JSON.stringify(all, null, 2), 0o600);
  return all;
};

/** What a file holds; nothing where it is not there or cannot be read. */
export const readIfThere = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** The size of a file in bytes; 0 where there is none yet. */
export const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * What was written to a log file after its first `from` bytes, at most the first megabyte of it; all of one that was put
 * aside since.
 */
export const readLog = (file: string, after = 0): string => {
  const size = sizeOf(file);
  const from = after > size ? 0 : after;
  const length = Math.min(size - from, 1_000_000);
  if (length <= 0) return '';
  const buffer = Buffer.alloc(length);
  const opened = openSync(file, 'r');
  try {
    return buffer.toString('utf8', 0, readSync(opened, buffer, 0, length, from));
  } finally {
    closeSync(opened);
  }
};

/** Puts a log of more than `limit` bytes aside as `<file>.old`, over an earlier one. */
export const rotateLog = (file: string, limit = 10_000_000) => {
  if (sizeOf(file) > limit) renameSync(file, `${file}.old`);
};

/**
 * The same while a process writes the file; opened for appending, it continues at the start of the truncated file.
 * Lines written between the copy and the cut are lost.
 * @throws where there is no room for the copy; the log is then as it was
 */
export const rotateOpenLog = (file: string, limit = 10_000_000) => {
  if (sizeOf(file) <= limit) return;
  const copy = `${file}.old.${process.pid}`;
  try {
    copyFileSync(file, copy);
    truncateSync(file);
    renameSync(copy, `${file}.old`);
  } finally {
    rmSync(copy, { force: true });
  }
};

/**
 * What to say of an error of the file system that came because the folder is another user's; undefined for all others.
 */
export const notOurs = (error: unknown): string | undefined => {
  const { code = '', path } = (error ?? {}) as NodeJS.ErrnoException;
  if (!path || !['EACCES', 'EPERM', 'EROFS'].includes(code)) return undefined;
  return `${path} cannot be read or written (${code}): the folder belongs to another user; clone Cardinal anew as yourself`;
};
