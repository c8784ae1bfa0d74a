import { type Kysely, sql } from 'kysely';

/** Which users of a workspace had their files looked after last, and for how long. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table user_turns (
      workspace_id uuid not null,
      user_id uuid not null,
      status text not null,
      taken_at timestamptz not null,
      -- when what this user's files took will have been evened out
      even_at timestamptz not null,
      primary key (workspace_id, user_id, status)
    )`.execute(db);
  await sql`
    create index files_due_by_user on files (status, workspace_id, created_by, due_at) where due_at is not null`.execute(
    db,
  );
}
