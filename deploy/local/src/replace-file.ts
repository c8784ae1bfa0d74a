import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file as a whole or not at all: who reads it sees the old content or the new, also when the disk is full.
 * @param mode of the file, 0o644 by default
 */
export const replaceFile = (file: string, content: string, mode = 0o644): void => {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, content, { mode });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
};
