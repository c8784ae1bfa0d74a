import { sql } from 'kysely';
import type { Database } from '../open.ts';
import { purge } from '../purge.ts';
import { idBound } from './id-bound.ts';

/** Deletes events published before `olderThan`; returns how many. */
export function purgeOutbox<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  return purge(db, 'outbox', sql`id < ${idBound(olderThan)} and published_at < ${olderThan}`);
}
