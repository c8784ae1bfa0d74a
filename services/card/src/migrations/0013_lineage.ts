import { createLineageTable } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** A range counts for the epoch in which it was granted (ADR 0042). What was granted before there were epochs is of the first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createLineageTable(db);
  await sql`alter table workstreams add column epoch integer not null default 1`.execute(db);
}
