import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { localFolder } from './local-folder.ts';
import { s3 } from './s3.ts';
import type { Storage } from './storage.ts';

/** The storage that the configuration names. */
export const openStorage = async ({ STORAGE_URL, S3_ENDPOINT, SCRATCH_FOLDER }: Config): Promise<Storage> => {
  const url = new URL(STORAGE_URL);
  if (url.protocol === 'file:') return localFolder(fileURLToPath(url));
  return s3({ bucket: url.hostname, endpoint: S3_ENDPOINT, scratchFolder: SCRATCH_FOLDER });
};
