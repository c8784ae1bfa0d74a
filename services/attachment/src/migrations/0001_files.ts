import { createCommandLog, createInbox, createOutbox } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** Files, covers, links of subtasks, and which cards are gone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCommandLog(db);
  await createOutbox(db);
  await createInbox(db);

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
      -- where the bytes are; null before they came and after they were removed
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
      -- when the sweeper looks at it again, and how often it did
      due_at timestamptz(3),
      attempts integer not null default 0,
      primary key (workspace_id, id),
      check ((status = 'rejected') = (rejection is not null)),
      check (status not in ('scanning', 'clean') or (storage_key is not null and size is not null)),
      check ((status in ('pending', 'scanning')) = (due_at is not null))
    )`.execute(db);
  await sql`create index files_by_age on files (workspace_id, created_at, id)`.execute(db);
  await sql`create index files_due on files (due_at) where due_at is not null`.execute(db);

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

  // Cards and subtasks that are gone: a cover or link that comes late finds them here.
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
      primary key (workspace_id, file_id)
    )`.execute(db);
}
