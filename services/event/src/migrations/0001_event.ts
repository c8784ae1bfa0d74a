import { addLineageTime, createCommandLog, createDeadLetters, createLineageTable, createOutbox } from '@cardinal/db';
import { createJobs } from '@cardinal/jobs';
import { type Kysely, sql } from 'kysely';
import { createWebhooks } from './webhooks.ts';

/** What every service has that answers commands and takes events; the log, and webhooks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createOutbox(db);
  await createDeadLetters(db);
  await createCommandLog(db);
  await createLog(db);
  await createLineageTable(db);
  await addLineageTime(db);
  await createJobs(db);
  await createWebhooks(db);
}

/** Partitions of `events` are made and dropped by the service (`log/days.ts`). */
async function createLog(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table logs (
      workspace_id uuid primary key,
      last bigint not null default 0,
      -- the highest number that the register allows
      through bigint not null default 0,
      -- the epoch of this database in which the log was last checked for rollbacks
      epoch integer not null default 1,
      -- by owner, the position of the log in its feed: {"seq", "id"}
      positions jsonb not null default '{}',
      -- day of the last event; days never decrease
      logged_on date not null default '-infinity'
    ) with (fillfactor = 50)`.execute(db);
  // Those that a fall left behind are looked for every second.
  await sql`create index logs_by_epoch on logs (epoch)`.execute(db);
  await sql`
    create table days (
      workspace_id uuid not null,
      logged_on date not null,
      first_seq bigint not null,
      primary key (workspace_id, logged_on)
    )`.execute(db);
  await sql`create index days_by_age on days (logged_on)`.execute(db);
  // json, not jsonb: it is passed on as it was written.
  await sql`
    create table events (
      workspace_id uuid not null,
      seq bigint not null,
      logged_on date not null,
      id uuid not null,
      type text not null,
      card_id uuid,
      board_id uuid,
      other_board_id uuid,
      -- its feed, and its number there; null for events of the log itself
      source text,
      source_seq bigint,
      event json not null
    ) partition by range (logged_on)`.execute(db);
  // No primary key: pg_restore --clean cannot drop the constraint that a partition inherits.
  await sql`create unique index events_by_seq on events (workspace_id, seq, logged_on)`.execute(db);
  await sql`create index events_by_card on events (workspace_id, card_id, seq) where card_id is not null`.execute(db);
  await sql`create index events_by_board on events (workspace_id, board_id, seq) where card_id is null`.execute(db);
  // They concern everybody, whatever he asks for.
  await sql`create index events_resets on events (workspace_id, seq) where type = 'feed.reset'`.execute(db);
}
