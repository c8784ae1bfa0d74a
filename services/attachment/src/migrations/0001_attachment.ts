import { createCommandLog, createDeadLetters, createOutbox } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** Files with each workspace's totals, the queue of checks, covers, links of subtasks, and tombstones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCommandLog(db);
  await createOutbox(db);
  await createDeadLetters(db);

  await sql`
    create table files (
      workspace_id uuid not null,
      id uuid not null,
      name text not null,
      board_id uuid,
      status text not null check (status in ('pending', 'scanning', 'clean', 'infected', 'rejected')),
      rejection text,
      content_type text,
      size bigint,
      -- the place of the bytes; null before the upload and after the removal
      storage_key text,
      -- of a clean raster image, upright
      width integer,
      height integer,
      renditions jsonb not null default '[]',
      created_by uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      upload_expires_at timestamptz(3) not null,
      uploaded_at timestamptz(3),
      -- when the sweeper checks it next, and how often it did
      due_at timestamptz(3),
      attempts integer not null default 0,
      -- the lease of a process until due_at; one that is left then belongs to a process that died
      lease_id uuid,
      lost_leases integer not null default 0,
      -- the lease of the only upload under way, and when it expires
      upload_id uuid,
      uploading_until timestamptz(3),
      primary key (workspace_id, id),
      check ((status = 'rejected') = (rejection is not null)),
      check (status not in ('scanning', 'clean') or (storage_key is not null and size is not null)),
      check ((status in ('pending', 'scanning')) = (due_at is not null))
    )`.execute(db);
  await sql`create index files_by_age on files (workspace_id, created_at, id)`.execute(db);
  // Which boards have files, in a few steps however many files they have.
  await sql`create index files_of_board on files (workspace_id, board_id) where board_id is not null`.execute(db);
  await sql`create index files_due on files (status, workspace_id, due_at) where due_at is not null`.execute(db);
  await sql`
    create index files_due_by_user on files (status, workspace_id, created_by, due_at) where due_at is not null`.execute(
    db,
  );
  await createUsage(db);

  // Which workspaces had their files looked after last.
  await sql`
    create table turns (
      workspace_id uuid not null,
      status text not null,
      taken_at timestamptz not null,
      primary key (workspace_id, status)
    )`.execute(db);
  // The same of the users of a workspace.
  await sql`
    create table user_turns (
      workspace_id uuid not null,
      user_id uuid not null,
      status text not null,
      taken_at timestamptz not null,
      -- when the time used by this user's files is evened out
      even_at timestamptz not null,
      primary key (workspace_id, user_id, status)
    )`.execute(db);

  // A cover or link that was cleared keeps its row, and with it the number of its changes.
  await sql`
    create table covers (
      workspace_id uuid not null,
      card_id uuid not null,
      file_id uuid,
      version integer not null,
      primary key (workspace_id, card_id)
    )`.execute(db);
  await sql`create index covers_of_file on covers (workspace_id, file_id) where file_id is not null`.execute(db);
  await sql`
    create table linked_files (
      workspace_id uuid not null,
      subtask_id uuid not null,
      card_id uuid not null,
      file_id uuid,
      version integer not null,
      primary key (workspace_id, subtask_id)
    )`.execute(db);
  await sql`create index linked_files_of_file on linked_files (workspace_id, file_id) where file_id is not null`.execute(
    db,
  );
  await sql`create index linked_files_of_card on linked_files (workspace_id, card_id)`.execute(db);

  // Tombstones of cards and subtasks: a cover or link that arrives late finds them here.
  await sql`
    create table tombstones (
      workspace_id uuid not null,
      id uuid not null,
      deleted_at timestamptz(3) not null,
      primary key (workspace_id, id)
    )`.execute(db);

  // Files whose bytes must go, until they are gone.
  await sql`
    create table removals (
      workspace_id uuid not null,
      file_id uuid not null,
      created_at timestamptz(3) not null,
      due_at timestamptz(3) not null,
      -- no upload can arrive after this
      last_at timestamptz(3) not null,
      primary key (workspace_id, file_id)
    )`.execute(db);
  await sql`create index removals_due on removals (due_at)`.execute(db);
}

/**
 * How much a workspace has: counted in the transaction that changes a file, whose lock on the row keeps others from going
 * over a quota with it.
 */
async function createUsage(db: Kysely<unknown>): Promise<void> {
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
  // Runs with the search path of its own schema, as operators change files under another role.
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
}
