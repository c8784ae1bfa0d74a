import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';
import { clearFolder } from '../storage/abandoned.ts';

const intervalMs = 10 * 60_000;

/** Removes from the storage, and from the folder for checks, what processes that were killed left half done. */
export const clearAbandoned = (
  { storage, logger }: Pick<Parts, 'storage' | 'logger'>,
  scratchFolder: string,
): Sweeper =>
  sweeper({
    name: 'clear-abandoned',
    intervalMs,
    logger,
    run: () => Promise.all([storage.clearAbandoned(), clearFolder(scratchFolder)]),
  });
