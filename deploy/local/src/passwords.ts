import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from './replace-file.ts';

/** Passwords by name, made on first use and kept in a file that only we can read. */
export const ensurePasswords = <Name extends string>(file: string, names: readonly Name[]): Record<Name, string> => {
  const kept: Record<string, string> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const make = (name: Name) => [name, kept[name] ?? randomBytes(24).toString('base64url')];
  const all = Object.fromEntries(names.map(make)) as Record<Name, string>;
  if (names.some((name) => kept[name] === undefined)) replaceFile(file, JSON.stringify(all, null, 2), 0o600);
  return all;
};
