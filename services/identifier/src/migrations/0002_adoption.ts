import { type Kysely, sql } from 'kysely';

/** Workstreams that take cards with identifiers of their own, until they are opened (ADR 0058). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workstreams
      -- whether it adopts: made to adopt, and not opened since
      add column adopting boolean not null default false,
      -- numbers up to this one were adopted, not issued
      add column adopted_through bigint not null default 0,
      -- the command that opens it, from its first step to its last, and the first number of the request
      add column opening uuid,
      add column opens_at bigint`.execute(db);
  // Keeps the release before from granting numbers of one that adopts. It takes `lock_not_available` for a reason to have the
  // client ask again (503), and another instance then answers 409.
  await sql`
    create function refuse_grant_while_adopting() returns trigger language plpgsql as $$
    begin
      raise exception 'the workstream adopts cards, and issues no number until it is opened' using errcode = '55P03';
    end $$`.execute(db);
  await sql`
    create trigger adopt_or_grant before insert or update on workstreams
    for each row when (new.adopting and new.granted_through > 0)
    execute function refuse_grant_while_adopting()`.execute(db);
  await sql`create index workstreams_opening on workstreams (workspace_id, id) where opening is not null`.execute(db);
}
