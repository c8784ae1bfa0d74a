import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { unavailable } from '@cardinal/contracts';

/** No room on the disk, none left for this user, or a disk that was made read-only because it fails. */
const noRoom = ['ENOSPC', 'EDQUOT', 'EROFS'];

/**
 * Writes a new file, down to the disk. Rejects with what the source rejects with; then what there is of it may be removed.
 * @throws CardinalError `unavailable` where the disk has no room
 */
export const writeNewFile = async (path: string, source: AsyncIterable<Uint8Array>): Promise<void> => {
  try {
    // A stream that is destroyed while it opens its file would make it after that.
    const file = await open(path, 'wx', 0o600);
    await pipeline(source, file.createWriteStream({ flush: true }));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw noRoom.includes(code) ? unavailable('There is no room for files', error) : error;
  }
};
