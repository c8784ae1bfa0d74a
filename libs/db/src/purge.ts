import { type RawBuilder, sql } from 'kysely';
import type { Database } from './open.ts';

/** Rows deleted in one transaction, so that no lock is held for long. */
const chunk = 5_000;

/**
 * Deletes all rows of a table that `condition` picks, some thousands at a time; passes over rows that are locked.
 * Returns how many.
 */
export async function purge<Tables>(
  db: Database<Tables>,
  table: string,
  condition: RawBuilder<unknown>,
): Promise<number> {
  let purged = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await db.transaction((tx) =>
      sql`
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where ${condition} limit ${chunk} for update skip locked
        ))`.execute(tx),
    );
    purged += Number(numAffectedRows);
    if (numAffectedRows < chunk) return purged;
  }
}
