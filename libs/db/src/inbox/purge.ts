import { sql } from 'kysely';
import type { Database } from '../open.ts';

/** Forgets events applied before `olderThan`, which must be longer ago than a stream keeps them; returns how many. */
export async function purgeInbox<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  const { numAffectedRows = 0n } = await db.transaction((tx) =>
    sql`delete from inbox where applied_at < ${olderThan}`.execute(tx),
  );
  return Number(numAffectedRows);
}
