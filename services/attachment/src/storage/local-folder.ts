import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clearFolder } from './abandoned.ts';
import { writeNewFile } from './new-file.ts';
import type { Storage } from './storage.ts';

const ifMissing =
  <T>(instead: () => T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return instead();
    throw error;
  };

/** Keeps the bytes below a folder, which instances on one machine may share. */
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
        // The folder may vanish under our hands, with the bytes of an upload that was refused.
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
