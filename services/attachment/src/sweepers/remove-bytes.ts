import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';
import { endRemoval, listRemovals } from '../store/removals.ts';

const intervalMs = 5_000;
const batch = 100;

/** Removes the bytes of files that were deleted or refused, again and again until they are gone. */
export const removeBytes = ({ db, storage, logger }: Pick<Parts, 'db' | 'storage' | 'logger'>): Sweeper =>
  sweeper({
    name: 'remove-bytes',
    intervalMs,
    logger,
    run: async () => {
      for (const removal of await db.read((tx) => listRemovals(tx, batch))) {
        await storage.removeAll(`${removal.workspace_id}/${removal.file_id}`);
        await db.transaction((tx) => endRemoval(tx, removal));
      }
    },
  });
