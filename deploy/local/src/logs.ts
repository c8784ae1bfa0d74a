import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { rotateLog, rotateOpenLog } from '@cardinal/servers';
import { watch } from './watch.ts';

const logsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => join(folder, name));

/**
 * Puts logs aside that have grown long, now and while the stack runs, until it is stopped. One that cannot be put aside,
 * on a full disk say, is tried again later.
 * @param limit bytes of one log
 */
export const rotateLogs = (folder: string, { limit = 10_000_000, everyMs = 1_000 } = {}) => {
  mkdirSync(folder, { recursive: true });
  for (const file of logsIn(folder)) rotateLog(file, limit);
  return watch(() => {
    try {
      for (const file of logsIn(folder)) rotateOpenLog(file, limit);
    } catch {
      // Again in a second.
    }
  }, everyMs);
};
