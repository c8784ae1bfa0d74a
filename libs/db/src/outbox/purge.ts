import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { Database } from '../open.ts';

/** Rows deleted in one transaction. */
const chunk = 5_000;

/** Deletes events published before `olderThan`; returns how many. */
export async function purgeOutbox<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  // Ids begin with their time, so the primary key finds the old rows.
  const bound = v7({ msecs: olderThan.getTime(), seq: 0, random: new Uint8Array(16) });
  let purged = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await db.transaction((tx) =>
      sql`
        delete from outbox where id in (
          select id from outbox where id < ${bound} and published_at < ${olderThan}
          order by id limit ${chunk} for update skip locked
        )`.execute(tx),
    );
    purged += Number(numAffectedRows);
    if (numAffectedRows < chunk) return purged;
  }
}
