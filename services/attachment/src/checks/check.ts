import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FileRejection } from '@cardinal/contracts';
import { failpoint } from '@cardinal/runtime';
import type { StoredRendition } from '../domain/file.ts';
import { isRaster } from '../domain/raster.ts';
import type { Storage } from '../storage/storage.ts';
import { detectType } from './detect-type.ts';
import type { DecodedImage, ImageDecoder } from './image.ts';
import type { Scanner } from './scanner.ts';

/** What the checks of a file found. */
export type Verdict =
  | { status: 'clean'; contentType: string; image: StoredImage | undefined }
  | { status: 'infected'; contentType: string }
  | { status: 'rejected'; contentType: string; rejection: FileRejection };

interface StoredImage {
  width: number;
  height: number;
  renditions: StoredRendition[];
}

interface Needs {
  storage: Storage;
  scanner: Scanner;
  decodeImage: ImageDecoder;
}

/**
 * Checks the bytes of a file: type, viruses, and whether an image decodes, whose renditions it stores.
 * @param key where they are, `<workspace>/<file>/<name>`
 * @param signal that nobody waits for the answer any more
 * @throws where a check gave no clear answer; the file is then checked again later
 */
export const checkFile = (
  { storage, scanner, decodeImage }: Needs,
  key: string,
  signal: AbortSignal,
): Promise<Verdict> =>
  storage.withFile(key, signal, async (path): Promise<Verdict> => {
    failpoint('amid-check');
    const contentType = await detectType(path);
    if (await scanner.isInfected(path, signal)) return { status: 'infected', contentType };
    if (!isRaster(contentType)) return { status: 'clean', contentType, image: undefined };
    const image = await decodeImage(path, signal, (decoded) => keepRenditions(storage, key, decoded));
    if (typeof image === 'string') return { status: 'rejected', contentType, rejection: image };
    return { status: 'clean', contentType, image };
  });

const keepRenditions = async (storage: Storage, key: string, image: DecodedImage): Promise<StoredImage> => {
  const folder = key.slice(0, key.lastIndexOf('/'));
  const renditions: StoredRendition[] = [];
  for (const { width, height, path } of image.renditions) {
    const { size } = await stat(path);
    const kept = { width, height, size, key: `${folder}/rendition-${width}.webp` };
    await storage.put(kept.key, createReadStream(path));
    failpoint('amid-renditions');
    renditions.push(kept);
  }
  return { width: image.width, height: image.height, renditions };
};
