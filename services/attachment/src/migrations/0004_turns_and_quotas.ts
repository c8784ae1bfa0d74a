import { type Kysely, sql } from 'kysely';

/** Whose files were looked after last, who uploads a file just now, and how much a workspace has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table turns (
      workspace_id uuid not null,
      status text not null,
      taken_at timestamptz not null,
      primary key (workspace_id, status)
    )`.execute(db);
  await sql`drop index files_due`.execute(db);
  await sql`create index files_due on files (status, workspace_id, due_at) where due_at is not null`.execute(db);

  await sql`
    alter table files
      -- of the one upload that is under way, and when it counts as vanished
      add upload_id uuid,
      add uploading_until timestamptz(3)`.execute(db);

  // Counted in the transaction that changes a file, whose lock on the row keeps others from going over a quota with it.
  await sql`
    create table workspace_usage (
      workspace_id uuid primary key,
      files bigint not null,
      -- whose bytes are still to come
      pending_files bigint not null,
      -- of files that are being checked, and that are clean
      scanning_bytes bigint not null,
      clean_bytes bigint not null
    )`.execute(db);
  // In the schema that it is made in, whoever changes a file: operators do so as another role.
  await sql`
    create function count_files() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into workspace_usage as kept
      select workspace_id, sum(one),
        coalesce(sum(one) filter (where status = 'pending'), 0),
        coalesce(sum(one * size) filter (where status = 'scanning'), 0),
        coalesce(sum(one * size) filter (where status = 'clean'), 0)
      from (
        select 1 as one, new.workspace_id, new.status, new.size where tg_op <> 'DELETE'
        union all
        select -1, old.workspace_id, old.status, old.size where tg_op <> 'INSERT'
      ) changes
      group by workspace_id
      on conflict (workspace_id) do update set
        files = kept.files + excluded.files,
        pending_files = kept.pending_files + excluded.pending_files,
        scanning_bytes = kept.scanning_bytes + excluded.scanning_bytes,
        clean_bytes = kept.clean_bytes + excluded.clean_bytes;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger count_files after insert or delete or update of status, size on files
    for each row execute function count_files()`.execute(db);
  await sql`
    insert into workspace_usage
    select workspace_id, count(*),
      count(*) filter (where status = 'pending'),
      coalesce(sum(size) filter (where status = 'scanning'), 0),
      coalesce(sum(size) filter (where status = 'clean'), 0)
    from files group by workspace_id`.execute(db);
}
