import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';
import { finishArchive } from '../workstreams/archive.ts';

/** Archives finished in one round. */
const batch = 100;

/** Finishes archives that were interrupted, so that none stays begun for ever. */
export const finishArchives = (parts: Parts, { intervalMs }: { intervalMs: number }): Sweeper =>
  sweeper({
    name: 'finish-archives',
    intervalMs,
    logger: parts.logger,
    run: async () => {
      const begun = await parts.db.read((tx) =>
        tx
          .selectFrom('workstreams')
          .select(['workspace_id', 'id as workstream_id'])
          .where('closing', 'is not', null)
          .limit(batch)
          .execute(),
      );
      const ends = await Promise.allSettled(begun.map((one) => finishArchive(parts, one)));
      const failed = ends.filter((end) => end.status === 'rejected');
      if (failed.length > 0)
        parts.logger.warn({ count: failed.length, err: failed[0]?.reason }, 'archives not finished');
    },
  });
