import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stragglingMs } from '../domain/straggling.ts';

/** Removes what processes left in a folder when they were killed; there may be no such folder. */
export const clearFolder = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const left = await stat(path).catch(() => undefined);
    if (left && Date.now() - left.mtimeMs > stragglingMs) await rm(path, { recursive: true, force: true });
  }
};
