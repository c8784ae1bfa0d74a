import { type Kysely, sql } from 'kysely';

/** What members may do. Those of before manage nothing: boards were managed by whoever saw them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table board_members
      add column role text not null default 'member' check (role in ('member', 'owner'))`.execute(db);
  await sql`alter table board_members alter column role drop default`.execute(db);
}
