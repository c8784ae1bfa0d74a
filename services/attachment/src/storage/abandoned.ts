import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stragglingMs } from '../domain/straggling.ts';

/** Removes the files of a folder that processes left when they were killed; there may be no such folder. */
export const clearAbandoned = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const left = await stat(path).catch(() => undefined);
    if (left && Date.now() - left.mtimeMs > stragglingMs) await rm(path, { force: true });
  }
};
