import { addLineageTime } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** How old this database is, and what was given out in a day: for one of which the register knows nothing (ADR 0071). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addLineageTime(db);
  // The ledger grows in the order of time, so a few pages say what the last 30 days brought.
  await sql`create index identifiers_by_age on identifiers using brin (assigned_at)`.execute(db);
}
