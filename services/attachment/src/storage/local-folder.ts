import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Storage } from './storage.ts';

/** No upload takes this long, ms: what is older was left by a process that was killed. */
const abandonedMs = 24 * 3_600_000;

const clearAbandoned = async (folder: string) => {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const left = await stat(path).catch(() => undefined);
    if (left && Date.now() - left.mtimeMs > abandonedMs) await rm(path, { force: true });
  }
};

/** Keeps the bytes below a folder, which instances on one machine may share. */
export const localFolder = async (folder: string): Promise<Storage> => {
  const arriving = join(folder, 'arriving');
  await mkdir(arriving, { recursive: true, mode: 0o700 });
  await clearAbandoned(arriving);
  const pathOf = (key: string) => join(folder, 'kept', key);

  return {
    async put(key, source) {
      const partial = join(arriving, randomUUID());
      try {
        await pipeline(source, createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }));
        await mkdir(dirname(pathOf(key)), { recursive: true, mode: 0o700 });
        await rename(partial, pathOf(key));
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    read: async (key) => createReadStream('', { fd: await open(pathOf(key)) }),
    async withFile(key, use) {
      await access(pathOf(key));
      return use(pathOf(key));
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    removeAll: (below) => rm(pathOf(below), { recursive: true, force: true }),
    direct: undefined,
  };
};
