import { sql } from 'kysely';
import type { Reader } from './pool.ts';

/**
 * Creates `commands`: each command, and its response once there is one (ARCHITECTURE, "Idempotency"). For a service's
 * first migration.
 */
export async function createCommandLog(db: Reader): Promise<void> {
  // Room on each page: storing the response must not need a new index entry.
  await sql`
    create table commands (
      workspace_id uuid not null,
      id uuid not null,
      fingerprint text not null,
      response jsonb,
      created_at timestamptz(3) not null,
      ended_at timestamptz(3),
      primary key (workspace_id, id)
    ) with (fillfactor = 60)`.execute(db);
  await sql`create index commands_by_age on commands (created_at)`.execute(db);
}

/** Creates `dead_letters`: events that failed too often. For a service's first migration. */
export async function createDeadLetters(db: Reader): Promise<void> {
  // json, not jsonb: it keeps the exact text, and jsonb refuses NUL and lone surrogates.
  await sql`
    create table dead_letters (
      id uuid primary key default gen_random_uuid(),
      event json not null,
      error text not null,
      failed_at timestamptz(3) not null default now()
    )`.execute(db);
}

/** Creates `outbox`: events written together with their change. For a service's first migration. */
export async function createOutbox(db: Reader): Promise<void> {
  // Room on each page: every row is updated twice right after its insert.
  await sql`
    create table outbox (
      id uuid primary key,
      workspace_id uuid not null,
      subject text not null,
      event jsonb not null,
      created_at timestamptz(3) not null default now(),
      leased_until timestamptz(3),
      published_at timestamptz(3)
    ) with (fillfactor = 60)`.execute(db);
  await sql`create index outbox_unpublished on outbox (id) where published_at is null`.execute(db);
}

/** Creates `lineage`: one row, by which a rollback of the database is detected (ARCHITECTURE, "Lineage"). */
export async function createLineageTable(db: Reader): Promise<void> {
  await sql`
    create table lineage (
      one boolean primary key default true check (one),
      -- rises with writes to the database
      tick bigint not null default 0,
      -- the latest epoch that this database has seen
      epoch integer not null default 1
    )`.execute(db);
  await sql`insert into lineage default values`.execute(db);
}

/**
 * Adds to `lineage` how old a database is that has no witness in the register (ADR 0071). A trigger sets the time, so
 * every release that raises the tick sets it, by the clock that it is compared with.
 */
export async function addLineageTime(db: Reader): Promise<void> {
  await sql`
    alter table lineage
      -- when the tick rose last; null before it first did
      add column ticked_at timestamptz,
      -- a request to skip at least this many numbers before the next one
      add column advance_by bigint,
      -- counters were advanced, and the register does not have it yet
      add column advanced boolean not null default false,
      -- when counters were last advanced by a margin, as the highest number was not known
      add column unknown_since timestamptz,
      -- the number above which new ones begin since then
      add column new_begins bigint not null default 0,
      -- how often the backup of this state was restored before
      add column restored_before integer not null default 0`.execute(db);
  await sql`
    create function note_tick() returns trigger language plpgsql as $$
    begin
      new.ticked_at = clock_timestamp();
      return new;
    end $$`.execute(db);
  await sql`
    create trigger note_tick before update on lineage
    for each row when (new.tick <> old.tick) execute function note_tick()`.execute(db);
}

/**
 * Creates `feeds` and `changes`: the owner's changes of a workspace for its followers, numbered in the order of commits
 * (ARCHITECTURE, "Feeds"; ADR 0065).
 */
export async function createFeed(db: Reader): Promise<void> {
  await sql`
    create table feeds (
      workspace_id uuid primary key,
      last bigint not null default 0,
      last_id uuid,
      -- the last change before the latest append
      before_id uuid,
      noted_at timestamptz not null default 'epoch',
      -- the position up to which the log has the feed
      taken bigint not null default 0
    ) with (fillfactor = 50)`.execute(db);
  // json, not jsonb: it is passed on as exact text.
  await sql`
    create table changes (
      workspace_id uuid not null,
      seq bigint not null,
      id uuid not null,
      previous_id uuid,
      noted_at timestamptz not null,
      type text not null,
      card_id uuid,
      board_id uuid,
      other_board_id uuid,
      event json not null,
      primary key (workspace_id, seq)
    )`.execute(db);
  // Queried every second for new rows, so no BRIN: rows that it has not summarized are read each time.
  await sql`create index changes_by_age on changes (noted_at)`.execute(db);
}

/**
 * Adds the line of internal events to an owner's feeds (ADR 0073). In a workspace that had a feed before, no event has
 * number 1: earlier events are missing, so its projections are rebuilt once.
 *
 * Release 1.1.0 has an outbox instead. While both run, or after a downgrade, each continues with what the other wrote:
 * a write to one is copied to the other, by either release.
 */
export async function createInternalEvents(db: Reader): Promise<void> {
  // In the order of writers, which lock the feed last: in another order, one of the two would end in a deadlock.
  await sql`lock table outbox in share row exclusive mode`.execute(db);
  await sql`
    alter table feeds
      add column last_internal bigint not null default 1,
      add column last_internal_id uuid`.execute(db);
  await sql`alter table feeds alter column last_internal set default 0`.execute(db);
  await sql`
    create table internal_events (
      workspace_id uuid not null,
      seq bigint not null,
      id uuid not null,
      noted_at timestamptz not null,
      event json not null,
      primary key (workspace_id, seq)
    )`.execute(db);
  await sql`create index internal_events_by_age on internal_events (noted_at)`.execute(db);
  await sql`
    create function copy_to_outbox() returns trigger language plpgsql as $$
    begin
      if pg_trigger_depth() = 1 then
        -- An expired lease keeps the row from being copied back.
        insert into outbox (id, workspace_id, subject, event, leased_until)
        values (new.id, new.workspace_id, 'evt.' || (new.event ->> 'type'), new.event::jsonb, '-infinity');
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger copy_to_outbox after insert on internal_events
    for each row execute function copy_to_outbox()`.execute(db);
  await sql`
    create function copy_from_outbox() returns trigger language plpgsql as $$
    declare
      moment timestamptz := clock_timestamp();
      number bigint;
    begin
      insert into feeds as feed (workspace_id, last_internal, last_internal_id) values (new.workspace_id, 1, new.id)
      on conflict (workspace_id) do update
      set last_internal = feed.last_internal + 1, last_internal_id = excluded.last_internal_id
      returning last_internal into number;
      insert into internal_events (workspace_id, seq, id, noted_at, event)
      values (new.workspace_id, number, new.id, moment, new.event::json);
      return null;
    end $$`.execute(db);
  // At the commit: the workspace's feed is the last lock.
  await sql`
    create constraint trigger copy_from_outbox after insert on outbox deferrable initially deferred
    for each row when (new.leased_until is null) execute function copy_from_outbox()`.execute(db);
}

/** Creates `followed_feeds`: the positions of a service's projections in the feeds of other services (ADR 0073). */
export async function createFollowedFeeds(db: Reader): Promise<void> {
  await sql`
    create table followed_feeds (
      owner text not null,
      workspace_id uuid not null,
      -- the last internal event that was applied; -1 to rebuild the projection
      seq bigint not null,
      id uuid,
      primary key (owner, workspace_id)
    ) with (fillfactor = 50)`.execute(db);
  await sql`create index followed_feeds_to_rebuild on followed_feeds (owner, workspace_id) where seq < 0`.execute(db);
}
