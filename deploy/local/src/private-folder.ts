import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder that only we can enter; the folders above it stay open, since other users run some of our servers. */
export const makePrivateFolder = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
};
