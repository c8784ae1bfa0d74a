import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { ConfigError } from '@cardinal/servers';
import { isBackup, manifestFile, readManifest } from './manifest.ts';

/** The default folder of backups. */
export const defaultFolder = (): string => join(homedir(), 'cardinal-backups');

const named = /^cardinal-\d{8}T\d{6}Z$/;

/** Backups of `npm start` in a folder, oldest first. */
export const backupsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => named.test(name) && isBackup(join(folder, name)))
    .sort()
    .map((name) => join(folder, name));

/** @returns the folder that a backup gets once it is whole, and the one that it is made in */
export const placeIn = (folder: string, state: string, now: Date) => {
  if (`${resolve(folder)}${sep}`.startsWith(`${state}${sep}`))
    throw new ConfigError(`${folder} lies in ${state}, and would be lost with it; name another folder`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `cardinal-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const place = { final: join(folder, name), draft: join(folder, `.unfinished-${name}-${process.pid}`) };
  if (existsSync(place.final)) throw new ConfigError(`${place.final} is there already`);
  return { ...place, cutOff: readdirSync(folder).filter((one) => one.startsWith('.unfinished-cardinal-')) };
};

/** Removes whole backups of a stack but the newest `keep`, and nothing else. @returns those removed */
export const removeOlder = (folder: string, stack: string, keep: number): string[] => {
  const older = backupsIn(folder)
    .filter((one) => readManifest(one).stack === stack)
    .slice(0, -keep);
  for (const one of older) {
    // Without it, what is left of one is none.
    rmSync(join(one, manifestFile));
    rmSync(one, { recursive: true });
  }
  return older;
};

/**
 * The backup that somebody names, or the newest of a folder.
 * @throws ConfigError where there is none, or those of the folder are of several stacks
 */
export const findBackup = (path: string): string => {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new ConfigError(`${path} is no folder`);
  if (existsSync(join(path, manifestFile))) return path;
  const all = backupsIn(path);
  const newest = all.at(-1);
  if (newest === undefined)
    throw new ConfigError(`${path} has no manifest and no backups of npm start: one that was cut off has none`);
  if (new Set(all.map((one) => readManifest(one).stack)).size > 1)
    throw new ConfigError(`${path} has backups of several stacks, so name one:\n${all.join('\n')}`);
  return newest;
};
