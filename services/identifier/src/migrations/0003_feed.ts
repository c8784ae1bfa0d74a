import { createFeed } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** What followers hear of changes (ARCHITECTURE, "Feeds"). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createFeed(db);
  // Whoever finishes an archive or opening says who asked for it.
  await sql`
    alter table workstreams
      add column ending_by uuid,
      add column ending_request_id text`.execute(db);
}
