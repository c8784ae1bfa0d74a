import { type Kysely, sql } from 'kysely';

/** People: what the ids of users stand for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table people (
      workspace_id uuid not null,
      -- that of the user
      id uuid not null,
      version integer not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      name text,
      -- in small letters
      email text,
      kind text not null check (kind in ('person', 'machine')),
      -- what the latest token called them: they are renamed where that changes
      claimed_name text,
      claimed_email text,
      claimed_at timestamptz(3),
      first_seen timestamptz(3),
      last_seen timestamptz(3),
      erased_at timestamptz(3),
      primary key (workspace_id, id)
    ) with (fillfactor = 80)`.execute(db);
  await sql`create unique index people_by_email on people (workspace_id, email) where email is not null`.execute(db);
  await sql`create index people_by_erasure on people (workspace_id, id) where erased_at is not null`.execute(db);
  await sql`
    create table people_words (
      workspace_id uuid not null,
      person_id uuid not null,
      word text collate "C" not null,
      primary key (workspace_id, person_id, word),
      foreign key (workspace_id, person_id) references people (workspace_id, id) on delete cascade
    )`.execute(db);
  await sql`create index people_words_by_word on people_words (workspace_id, word, person_id)`.execute(db);
  // The epoch of this database in which erasures were last taken over from the register: one row.
  await sql`create table erasures_applied (epoch integer not null)`.execute(db);
  await sql`insert into erasures_applied values (0)`.execute(db);
  // Machines are those whose keys others made.
  await sql`
    insert into people (workspace_id, id, created_at, updated_at, kind)
    select workspace_id, user_id, min(created_at), min(created_at),
      case when bool_or(created_by = user_id) then 'person' else 'machine' end
    from api_keys group by workspace_id, user_id`.execute(db);
}
