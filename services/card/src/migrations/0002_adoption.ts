import { type Kysely, sql } from 'kysely';

/** Lets workstreams adopt cards with their identifiers until they are opened (ADR 0058). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workstreams
      -- cards may be adopted, unless it is closed; last_number is the highest adopted number
      add column adopting boolean not null default false,
      -- last_number when adoption ended for good, null before
      add column adopted_through bigint`.execute(db);
}
