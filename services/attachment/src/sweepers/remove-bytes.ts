import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';
import { getFile } from '../store/files.ts';
import { endRemoval, listRemovals, putRemovalOff, type Removal } from '../store/removals.ts';

const intervalMs = 5_000;
const batch = 100;
/** How long a removal that failed is left alone, ms. */
const pauseMs = 60_000;

/** Removes the bytes that no file needs, of files that were deleted, refused or checked, again and again until they are gone. */
export const removeBytes = ({
  db,
  storage,
  logger,
  now,
}: Pick<Parts, 'db' | 'storage' | 'logger' | 'now'>): Sweeper => {
  const remove = async (removal: Removal) => {
    const { workspace_id, file_id, last_at } = removal;
    const file = await db.read((tx) => getFile(tx, workspace_id, file_id));
    const needed = [file?.storage_key ?? [], ...(file?.renditions.map(({ key }) => key) ?? [])].flat();
    const moment = now();
    await storage.removeAll(`${workspace_id}/${file_id}`, new Set(needed));
    await db.transaction((tx) => (moment < last_at ? putRemovalOff(tx, removal, last_at) : endRemoval(tx, removal)));
  };

  return sweeper({
    name: 'remove-bytes',
    intervalMs,
    logger,
    run: async () => {
      for (let full = true; full; ) {
        const removals = await db.read((tx) => listRemovals(tx, now(), batch));
        for (const removal of removals) {
          try {
            await remove(removal);
          } catch (error) {
            logger.warn({ err: error, file_id: removal.file_id }, 'bytes could not be removed; again later');
            await db.transaction((tx) => putRemovalOff(tx, removal, new Date(now().getTime() + pauseMs)));
          }
        }
        full = removals.length === batch;
      }
    },
  });
};
