import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import { type Selectable, sql } from 'kysely';
import type { Resources, StoredFile, Tables, Tx } from '../context.ts';
import { abandonedAfterMs } from '../storage/local-folder.ts';
import { folderOf } from '../storage/storage.ts';
import { findFile } from './queries.ts';

/** A file of whose bytes only those may stay that it needs; after `last_at` nothing can turn up for it any more. */
type Removal = Selectable<Tables['removals']>;

const intervalMs = 5_000;
const batch = 100;
/** How long a removal that failed is left alone, ms. */
const pauseMs = 60_000;

/**
 * Asks for the bytes that a file does not need to be removed, now and once more when nothing can turn up any more: an
 * upload under way, a rendition of a check under way, what a process stored before it was killed.
 */
export const requestRemoval = async (
  tx: Tx,
  { workspace_id, id, upload_expires_at }: Pick<StoredFile, 'workspace_id' | 'id' | 'upload_expires_at'>,
  now: Date,
): Promise<void> => {
  const lastAt = new Date(Math.max(now.getTime(), upload_expires_at.getTime()) + abandonedAfterMs);
  await tx
    .insertInto('removals')
    .values({ workspace_id, file_id: id, created_at: now, due_at: now, last_at: lastAt })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'file_id']).doUpdateSet({
        // Never that of a removal under way, which would end this one.
        created_at: sql`greatest(excluded.created_at, removals.created_at + interval '1 millisecond')`,
        due_at: now,
        last_at: lastAt,
      }),
    )
    .execute();
};

/** Removes the bytes that no file needs, of files that were deleted, refused or checked, again and again until they are gone. */
export const removeBytes = ({ db, storage, logger, now }: Connections<Tables> & Resources): Sweeper => {
  const remove = async (removal: Removal) => {
    const { workspace_id, file_id, last_at } = removal;
    const file = await db.read((tx) => findFile(tx, workspace_id, file_id));
    const needed = [file?.storage_key ?? [], ...(file?.renditions.map(({ key }) => key) ?? [])].flat();
    const moment = now();
    await storage.removeAll(folderOf({ workspace_id, id: file_id }), new Set(needed));
    await db.transaction((tx) => (moment < last_at ? postpone(tx, removal, last_at) : end(tx, removal)));
  };

  const removeBatch = async (): Promise<boolean> => {
    const removals = await db.read((tx) =>
      tx.selectFrom('removals').selectAll().where('due_at', '<=', now()).orderBy('due_at').limit(batch).execute(),
    );
    for (const removal of removals) {
      await remove(removal).catch((error) => {
        logger.warn({ err: error, file_id: removal.file_id }, 'bytes could not be removed; again later');
        return db.transaction((tx) => postpone(tx, removal, new Date(now().getTime() + pauseMs)));
      });
    }
    return removals.length === batch;
  };

  const run = async () => {
    while (await removeBatch());
  };
  return sweeper({ name: 'remove-bytes', intervalMs, logger, run });
};

/** Nothing is left to remove, now or later; a removal that was asked for anew meanwhile stays. */
const end = async (tx: Tx, { workspace_id, file_id, created_at }: Removal): Promise<void> => {
  const removals = tx.deleteFrom('removals');
  await removals.where(({ and }) => and({ workspace_id, file_id, created_at })).execute();
};

/** Puts a removal off, unless it was asked for anew meanwhile. */
const postpone = async (tx: Tx, { workspace_id, file_id, created_at }: Removal, until: Date): Promise<void> => {
  const removals = tx.updateTable('removals').set({ due_at: until });
  await removals.where(({ and }) => and({ workspace_id, file_id, created_at })).execute();
};
