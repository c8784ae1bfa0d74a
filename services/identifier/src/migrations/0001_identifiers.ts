import { createCommandLog, createInbox, createOutbox } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** Workstreams with their counters, every number ever given out, and the allocations that were refused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCommandLog(db);
  await createOutbox(db);
  await createInbox(db);

  // Rows are never deleted, so the unique prefix is one that was never used before. Half-empty pages keep the counter's
  // updates in place (HOT): no index holds last_number.
  await sql`
    create table workstreams (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      name text not null,
      prefix text not null,
      description text,
      is_default boolean not null,
      last_number bigint not null default 0,
      archived_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (workspace_id, id),
      unique (workspace_id, prefix)
    ) with (fillfactor = 50)`.execute(db);
  await sql`create unique index workstreams_one_default on workstreams (workspace_id) where is_default`.execute(db);
  await sql`create index workstreams_by_age on workstreams (workspace_id, created_at, id)`.execute(db);

  // No foreign key to the workstream: the transaction that inserts a number holds the row it was counted in, and a
  // check for each number would cost more than the insert.
  await sql`
    create table identifiers (
      workspace_id uuid not null,
      prefix text not null,
      number bigint not null,
      workstream_id uuid not null,
      card_id uuid not null,
      operation_id uuid not null,
      state text not null check (state in ('pending', 'issued')),
      assigned_by uuid not null,
      -- the card's version and time when the operation committed there
      card_version integer,
      assigned_at timestamptz(3),
      created_at timestamptz(3) not null,
      primary key (workspace_id, prefix, number),
      unique (workspace_id, operation_id),
      check ((state = 'issued') = (card_version is not null and assigned_at is not null))
    )`.execute(db);
  await sql`create index identifiers_of_card on identifiers (workspace_id, card_id)`.execute(db);
  await sql`create index identifiers_pending on identifiers (created_at, operation_id) where state = 'pending'`.execute(
    db,
  );

  await sql`
    create table refusals (
      workspace_id uuid not null,
      operation_id uuid not null,
      reason text not null check (reason in ('not_found', 'archived')),
      created_at timestamptz(3) not null,
      primary key (workspace_id, operation_id)
    )`.execute(db);
  await sql`create index refusals_by_age on refusals (created_at)`.execute(db);
}
