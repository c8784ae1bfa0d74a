import { purgeCommands } from '@cardinal/db';
import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';

const intervalMs = 10 * 60_000;

/**
 * Forgets stored responses once nobody can ask for them any more.
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
    run: () => purgeCommands(db, new Date(now().getTime() - retentionMs)),
  });
