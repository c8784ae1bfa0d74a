import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';

const intervalMs = 10 * 60_000;

/** Removes from the storage what processes that were killed left half done. */
export const clearAbandoned = ({ storage, logger }: Pick<Parts, 'storage' | 'logger'>): Sweeper =>
  sweeper({ name: 'clear-abandoned', intervalMs, logger, run: () => storage.clearAbandoned() });
