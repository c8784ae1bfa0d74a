import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { Database } from '../open.ts';
import { purge } from '../purge.ts';

/** Deletes events published before `olderThan`; returns how many. */
export function purgeOutbox<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  // Ids begin with their time, so the primary key finds the old rows.
  const bound = v7({ msecs: olderThan.getTime(), seq: 0, random: new Uint8Array(16) });
  return purge(db, 'outbox', sql`id < ${bound} and published_at < ${olderThan}`);
}
