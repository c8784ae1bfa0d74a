import { createCommandLog, createDeadLetters, createLineageTable, createOutbox } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** Workstreams with what was granted of their numbers (ADR 0020), and every identifier that was ever issued. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCommandLog(db);
  await createOutbox(db);
  await createDeadLetters(db);
  await createLineageTable(db);

  // Rows are never deleted, so the unique prefix is one that was never used before. Half-empty pages keep the updates of
  // grants in place (HOT): no index holds what they write.
  await sql`
    create table workstreams (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      name text not null,
      prefix text not null,
      description text,
      is_default boolean not null,
      -- the last number that the card service may issue
      granted_through bigint not null default 0,
      archived_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      -- the command that archives it, from its first step to its last
      closing uuid,
      -- grants count for an epoch, and begin above what was granted in earlier ones (ADR 0042)
      epoch integer not null default 1,
      epoch_base bigint not null default 0,
      -- size and time of the last grant; null before the first one
      grant_size integer,
      granted_at timestamptz(3),
      primary key (workspace_id, id),
      unique (workspace_id, prefix)
    ) with (fillfactor = 50)`.execute(db);
  await sql`create unique index workstreams_one_default on workstreams (workspace_id) where is_default`.execute(db);
  await sql`create index workstreams_by_age on workstreams (workspace_id, created_at, id)`.execute(db);
  await sql`create index workstreams_closing on workstreams (workspace_id, id) where closing is not null`.execute(db);

  // The ledger. No foreign key to the workstream: a check for each number would cost more than the insert.
  await sql`
    create table identifiers (
      workspace_id uuid not null,
      prefix text not null,
      number bigint not null,
      workstream_id uuid not null,
      card_id uuid not null,
      assigned_by uuid not null,
      -- the card's first version with it, and when that was
      card_version integer not null,
      assigned_at timestamptz(3) not null,
      primary key (workspace_id, prefix, number)
    )`.execute(db);
  // A page of a card's history is read where it begins, however many identifiers the card had.
  await sql`create index identifiers_of_card on identifiers (workspace_id, card_id, card_version)`.execute(db);
}
