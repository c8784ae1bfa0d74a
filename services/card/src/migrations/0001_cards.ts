import { createCommandLog, createInbox, createOutbox } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** Boards, columns, cards, the projections that card reads need, and the operations of the allocation protocol. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCommandLog(db);
  await createOutbox(db);
  await createInbox(db);

  await sql`
    create table boards (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      name text not null,
      visibility text not null check (visibility in ('workspace')),
      default_workstream_id uuid,
      archived_at timestamptz(3),
      deleted_at timestamptz(3),
      created_by uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (workspace_id, id)
    )`.execute(db);

  await sql`
    create table columns (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      board_id uuid not null,
      name text not null,
      position double precision not null,
      archived_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, board_id) references boards,
      unique (workspace_id, board_id, position) deferrable initially immediate
    )`.execute(db);

  // What the identifier service last said of each workstream.
  await sql`
    create table workstreams (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      name text not null,
      prefix text not null,
      primary key (workspace_id, id)
    )`.execute(db);

  // Deferrable, so that one statement may rebalance a whole column.
  await sql`
    create table cards (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      board_id uuid not null,
      column_id uuid not null,
      position double precision not null,
      title text not null,
      description text,
      due_date timestamptz(3),
      priority text check (priority in ('super_urgent', 'urgent', 'important', 'nice_to_have')),
      completed_at timestamptz(3),
      archived_at timestamptz(3),
      created_by uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      assignee_user_ids uuid[] not null default '{}',
      label_ids uuid[] not null default '{}',
      subtask_total integer not null default 0,
      subtask_completed integer not null default 0,
      comment_count integer not null default 0,
      workstream_id uuid not null,
      identifier text not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, board_id) references boards,
      foreign key (workspace_id, column_id) references columns,
      foreign key (workspace_id, workstream_id) references workstreams,
      unique (workspace_id, identifier),
      unique (workspace_id, column_id, position) deferrable initially immediate
    )`.execute(db);

  // Operations under way: prepared and not yet confirmed. The table stays as small as the traffic of a moment.
  await sql`
    create table operations (
      workspace_id uuid not null,
      id uuid not null,
      command_id uuid not null,
      card_id uuid not null,
      state text not null check (state in ('pending', 'committed')),
      -- what to write when the number is there: a new card, or a transfer with its edits
      payload jsonb not null,
      card_version integer,
      assigned_at timestamptz(3),
      created_at timestamptz(3) not null,
      primary key (workspace_id, id),
      unique (workspace_id, command_id)
    )`.execute(db);
  await sql`create unique index operations_one_pending_per_card on operations (workspace_id, card_id)
    where state = 'pending'`.execute(db);
  await sql`create index operations_by_age on operations (created_at)`.execute(db);

  // Which card waits for which, as the dependency service last said.
  await sql`
    create table card_dependencies (
      workspace_id uuid not null,
      card_id uuid not null,
      depends_on_card_id uuid not null,
      primary key (workspace_id, card_id, depends_on_card_id)
    )`.execute(db);
  await sql`create index card_dependents on card_dependencies (workspace_id, depends_on_card_id)`.execute(db);
}
