import { sql } from 'kysely';
import type { Reader } from '../handles.ts';

/**
 * Creates `commands`: who asked for what, and the response once there is one (architecture, "Idempotency"). For a
 * service's first migration.
 */
export async function createCommandLog(db: Reader): Promise<void> {
  // Room on each page, so that storing the response needs no new index entry.
  await sql`
    create table commands (
      workspace_id uuid not null,
      id uuid not null,
      fingerprint text not null,
      response jsonb,
      created_at timestamptz(3) not null,
      ended_at timestamptz(3),
      primary key (workspace_id, id)
    ) with (fillfactor = 60)`.execute(db);
  await sql`create index commands_by_age on commands (created_at)`.execute(db);
}
