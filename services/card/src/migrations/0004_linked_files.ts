import { type Kysely, sql } from 'kysely';

/** How new the attachment service's words about a subtask's linked file are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table subtasks add column linked_file_version integer not null default 0`.execute(db);
}
