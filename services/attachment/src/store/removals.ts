import { sql } from 'kysely';
import type { StoredFile } from '../domain/file.ts';
import { stragglingMs } from '../domain/straggling.ts';
import type { Reader, Tx } from './database.ts';

/** A file of whose bytes only those may stay that it needs. */
export interface Removal {
  workspace_id: string;
  file_id: string;
  created_at: Date;
  /** Nothing can turn up for it any more. */
  last_at: Date;
}

/**
 * Notes that the bytes that a file does not need must go, now and once more when nothing can turn up any more: an upload
 * under way, a rendition of a check under way, what a process stored before it was killed.
 */
export const noteRemoval = async (
  tx: Tx,
  { workspace_id, id, upload_expires_at }: Pick<StoredFile, 'workspace_id' | 'id' | 'upload_expires_at'>,
  now: Date,
): Promise<void> => {
  const lastAt = new Date(Math.max(now.getTime(), upload_expires_at.getTime()) + stragglingMs);
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

export const listRemovals = (tx: Reader, now: Date, limit: number): Promise<Removal[]> =>
  tx.selectFrom('removals').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(limit).execute();

/** Nothing is left to remove, now or later; a removal that was noted anew meanwhile stays. */
export const endRemoval = async (tx: Tx, { workspace_id, file_id, created_at }: Removal): Promise<void> => {
  await tx
    .deleteFrom('removals')
    .where('workspace_id', '=', workspace_id)
    .where('file_id', '=', file_id)
    .where('created_at', '=', created_at)
    .execute();
};

/** Puts a removal off, unless it was noted anew meanwhile. */
export const putRemovalOff = async (
  tx: Tx,
  { workspace_id, file_id, created_at }: Removal,
  until: Date,
): Promise<void> => {
  await tx
    .updateTable('removals')
    .set({ due_at: until })
    .where('workspace_id', '=', workspace_id)
    .where('file_id', '=', file_id)
    .where('created_at', '=', created_at)
    .execute();
};
