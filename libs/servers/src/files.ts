import { randomBytes } from 'node:crypto';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
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
 * @returns false where somebody else made it
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

/** What was written to a log file after its first `from` bytes, at most the first megabyte of it. */
export const readLog = (file: string, from = 0): string => {
  const length = Math.min(sizeOf(file) - from, 1_000_000);
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
