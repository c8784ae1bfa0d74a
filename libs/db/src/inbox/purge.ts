import { sql } from 'kysely';
import type { Database } from '../open.ts';
import { purge } from '../purge.ts';

/** Forgets events applied before `olderThan`, which must be longer ago than a stream keeps them; returns how many. */
export function purgeInbox<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  return purge(db, 'inbox', sql`applied_at < ${olderThan}`);
}
