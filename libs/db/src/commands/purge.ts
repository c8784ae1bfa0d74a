import { sql } from 'kysely';
import type { Database } from '../open.ts';
import { purge } from '../purge.ts';

/** Deletes commands that began and ended before `olderThan`; returns how many. One under way is never forgotten. */
export function purgeCommands<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  return purge(db, 'commands', sql`created_at < ${olderThan} and ended_at < ${olderThan}`);
}
