import { rmSync, statSync, utimes, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** How often the holder of a lock renews it, when it counts as dead, how often others look; ms. */
const [beatMs, deadAfterMs, lookMs] = [1_000, 10_000, 50];

/** Whether a file's holder is dead; false where there is no file. A clock that was set back is no sign of life. */
const isDead = (file: string): boolean => {
  const held = statSync(file, { throwIfNoEntry: false });
  return held !== undefined && Math.abs(Date.now() - held.mtimeMs) > deadAfterMs;
};

const isOurs = (file: string): boolean => {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Takes a lock: the first of the files `lock.0`, `lock.1`, … whose holder is not dead. A dead one is left where it is
 * until the next holder has the lock: were it removed first, a second process that saw it dead would remove its successor's.
 * @returns the files to remove, in this order; undefined where another one has the lock
 */
const take = (lock: string): string[] | undefined => {
  const dead: string[] = [];
  while (isDead(`${lock}.${dead.length}`)) dead.push(`${lock}.${dead.length}`);
  const own = `${lock}.${dead.length}`;
  if (!isOurs(own)) return undefined;
  if (dead.every(isDead)) return [...dead, own];
  rmSync(own, { force: true });
  return undefined;
};

/**
 * Runs what only one process of this machine may do at a time; others wait. The lock of a process that was killed holds
 * for ten seconds.
 * @param lock path of the lock's files, in a folder that is there
 * @returns what `run` returns
 */
export const alone = async <Result>(lock: string, run: () => Result | Promise<Result>): Promise<Result> => {
  let files = take(lock);
  while (files === undefined) {
    await pause(lookMs);
    files = take(lock);
  }
  const own = files.at(-1) ?? lock;
  const beat = setInterval(() => utimes(own, new Date(), new Date(), () => undefined), beatMs);
  try {
    return await run();
  } finally {
    clearInterval(beat);
    for (const file of files) rmSync(file, { force: true });
  }
};
