import { sql } from 'kysely';
import type { Database } from '../open.ts';

/** Rows deleted in one transaction. */
const chunk = 5_000;

/** Deletes commands that began and ended before `olderThan`; returns how many. One under way is never forgotten. */
export async function purgeCommands<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  let purged = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await db.transaction((tx) =>
      sql`
        delete from commands where ctid in (
          select ctid from commands
          where created_at < ${olderThan} and ended_at < ${olderThan}
          limit ${chunk} for update skip locked
        )`.execute(tx),
    );
    purged += Number(numAffectedRows);
    if (numAffectedRows < chunk) return purged;
  }
}
