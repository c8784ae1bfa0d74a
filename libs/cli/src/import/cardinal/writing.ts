import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Download } from '@cardinal/client/source';
import { CliError } from '../../errors.ts';
import { type Counts, dataFile, filesFolder, type Line } from './format.ts';

/** An export that is being written. */
export interface ExportWriter {
  /** How many lines there are of each type. */
  counts: Counts;
  write(line: Line): Promise<void>;
  /** Writes the bytes of a file. @returns their SHA-256 in hexadecimal */
  writeFile(id: string, download: Download): Promise<string>;
  close(): Promise<void>;
}

const makeEmptyFolder = async (folder: string) => {
  try {
    await mkdir(join(folder, filesFolder), { recursive: true });
    if ((await readdir(folder)).length === 1 && (await readdir(join(folder, filesFolder))).length === 0) return;
  } catch (error) {
    throw new CliError(`cannot write to ${folder}: ${(error as Error).message}`, { cause: error });
  }
  throw new CliError(`${folder} is not empty; choose a new folder`);
};

/** Begins an export in a new folder. @throws CliError if the folder has files, or cannot be written */
export const openWriter = async (folder: string): Promise<ExportWriter> => {
  await makeEmptyFolder(folder);
  const stream = createWriteStream(join(folder, dataFile), { flags: 'wx' });
  // The next write throws the error.
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  await once(stream, 'open');
  const counts: Counts = {};
  return {
    counts,
    async write(line) {
      if (failure) throw failure;
      counts[line.type] = (counts[line.type] ?? 0) + 1;
      if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain');
    },
    async writeFile(id, { body }) {
      const hash = createHash('sha256');
      const observed = async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      };
      await pipeline(
        Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
        observed,
        createWriteStream(join(folder, filesFolder, id), { flags: 'wx' }),
      );
      return hash.digest('hex');
    },
    async close() {
      stream.end();
      if (!failure) await once(stream, 'close');
      if (failure) throw failure;
    },
  };
};
