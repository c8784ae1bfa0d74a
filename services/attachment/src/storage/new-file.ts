import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Writes a new file, down to the disk. Rejects with what the source rejects with; then what there is of it may be removed. */
export const writeNewFile = async (path: string, source: AsyncIterable<Uint8Array>): Promise<void> => {
  // A stream that is destroyed while it opens its file would make it after that.
  const file = await open(path, 'wx', 0o600);
  await pipeline(source, file.createWriteStream({ flush: true }));
};
