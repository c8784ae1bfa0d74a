import { enqueue, runJobs } from '@cardinal/jobs';
import type { Sweeper } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import type { Resources, StoredFile, Tables, Tx } from '../context.ts';
import { abandonedAfterMs } from '../storage/local-folder.ts';
import { folderOf } from '../storage/storage.ts';
import { findFile, jobOf } from './queries.ts';

const kind = 'remove-bytes';
const intervalMs = 5_000;
const longestPauseMs = 60_000;

/**
 * Requests the removal of bytes that a file does not need, now and once more when none can be added any more: by a
 * running upload, by a running check with renditions, or by a process that was killed.
 */
export const requestRemoval = async (tx: Tx, file: StoredFile, now: Date): Promise<void> => {
  const lastAt = new Date(Math.max(now.getTime(), file.upload_expires_at.getTime()) + abandonedAfterMs);
  const removal = { ...jobOf(kind, file), due_at: now };
  await enqueue(tx, [removal, { ...removal, key: `${file.id}/last`, due_at: lastAt }], now);
};

/** Removes bytes that no file needs, of deleted, refused or checked files. It repeats until they are gone. */
export const removeBytes = (context: Connections<Tables> & Resources): Sweeper => {
  const { db, storage, config } = context;
  return runJobs(context, {
    kind,
    intervalMs,
    leaseMs: config.CHECK_LEASE_MS,
    longestPauseMs,
    run: async ({ workspace_id, key }) => {
      const [id = ''] = key.split('/');
      const file = await db.read((tx) => findFile(tx, workspace_id, id));
      const needed = [file?.storage_key ?? [], ...(file?.renditions.map(({ key }) => key) ?? [])].flat();
      await storage.removeAll(folderOf({ workspace_id, id }), new Set(needed));
      return undefined;
    },
  });
};
