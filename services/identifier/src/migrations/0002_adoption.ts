import { type Kysely, sql } from 'kysely';

/** Workstreams that take cards with identifiers of their own, until they are opened (ADR 0058). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The check also keeps the release before from granting numbers of one that adopts.
  await sql`
    alter table workstreams
      -- whether it was made to adopt and not opened since
      add column adopting boolean not null default false,
      -- no number up to this one was issued: those that there are were adopted
      add column adopted_through bigint not null default 0,
      -- the command that opens it, from its first step to its last, and the first number that it asks for
      add column opening uuid,
      add column opens_at bigint,
      add constraint workstreams_adopt_or_grant check (not adopting or granted_through = 0)`.execute(db);
  await sql`create index workstreams_opening on workstreams (workspace_id, id) where opening is not null`.execute(db);
}
