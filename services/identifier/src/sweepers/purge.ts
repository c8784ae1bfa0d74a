import { purgeCommands } from '@cardinal/db';
import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';
import { purgeRefusals } from '../store/purge-refusals.ts';

const intervalMs = 10 * 60_000;

/**
 * Forgets stored responses and refusals once nobody can ask for them any more.
 * @param retentionMs how long they are kept
 */
export const purge = (
  { db, logger, now }: Pick<Parts, 'db' | 'logger' | 'now'>,
  { retentionMs }: { retentionMs: number },
): Sweeper =>
  sweeper({
    name: 'purge',
    intervalMs,
    logger,
    run: async () => {
      const olderThan = new Date(now().getTime() - retentionMs);
      await purgeCommands(db, olderThan);
      await db.transaction((tx) => purgeRefusals(tx, olderThan));
    },
  });
