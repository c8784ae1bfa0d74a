import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unavailable } from '@cardinal/contracts';
import type { Storage } from './storage.ts';

const ifMissing =
  <T>(instead: () => T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return instead();
    throw error;
  };

/** Stores bytes under a folder, which instances on one machine may share. */
export const localFolder = async (folder: string): Promise<Storage> => {
  const arriving = join(folder, 'arriving');
  await mkdir(arriving, { recursive: true, mode: 0o700 });
  const pathOf = (key: string) => join(folder, 'kept', key);

  const place = async (partial: string, path: string) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(partial, path);
  };

  return {
    async put(key, source) {
      const partial = join(arriving, randomUUID());
      const path = pathOf(key);
      try {
        await writeNewFile(partial, source);
        // The folder may vanish meanwhile, with the bytes of a refused upload.
        await place(partial, path).catch(ifMissing(() => place(partial, path)));
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    async read(key, range) {
      const handle = await open(pathOf(key)).catch(ifMissing(() => undefined));
      return handle && createReadStream('', { fd: handle, ...range });
    },
    async withFile(key, _signal, use) {
      await access(pathOf(key));
      return use(pathOf(key));
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    async removeAll(below, keep) {
      if (keep.size === 0) return rm(pathOf(below), { recursive: true, force: true });
      const names = await readdir(pathOf(below)).catch(ifMissing(() => []));
      const keys = names.map((name) => `${below}/${name}`).filter((key) => !keep.has(key));
      await Promise.all(keys.map((key) => rm(pathOf(key), { force: true })));
    },
    clearAbandoned: () => clearFolder(arriving),
    direct: undefined,
  };
};

/** A full disk, an exhausted quota, or a disk that became read-only because it fails. */
const noRoom = ['ENOSPC', 'EDQUOT', 'EROFS'];

/**
 * Writes a new file and syncs it to disk. Rejects with the source's error; the written part may be removed then.
 * @throws CardinalError `unavailable` where the disk has no room
 */
export const writeNewFile = async (path: string, source: AsyncIterable<Uint8Array>): Promise<void> => {
  try {
    // A stream that is destroyed while it opens its file would create it after that.
    const file = await open(path, 'wx', 0o600);
    await pipeline(source, file.createWriteStream({ flush: true }));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw noRoom.includes(code) ? unavailable('There is no room for files', error) : error;
  }
};

/** Longer than any transfer or check, ms: unfinished files are abandoned after that. */
export const abandonedAfterMs = 3_600_000;

/** Removes what killed processes left in a folder, which need not exist. */
export const clearFolder = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const left = await stat(path).catch(() => undefined);
    if (left && Date.now() - left.mtimeMs > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
};
