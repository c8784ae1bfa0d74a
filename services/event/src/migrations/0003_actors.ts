import { type Kysely, sql } from 'kysely';
import { hasKey, keyOf, userOf } from '../log/actors.ts';

/** Indexes events by user and by API key (`GET /events?actor=`). Writers wait while Postgres builds them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index events_by_user on events (workspace_id, (${sql.raw(userOf)}), seq)`.execute(db);
  await sql`
    create index events_by_api_key on events (workspace_id, (${sql.raw(keyOf)}), seq)
    where ${sql.raw(hasKey)}`.execute(db);
}
