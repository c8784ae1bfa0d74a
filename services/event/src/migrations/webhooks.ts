import { type Kysely, sql } from 'kysely';

/** Creates `webhooks`, `waiting_deliveries` (where events wait) and `deliveries`. */
export async function createWebhooks(db: Kysely<unknown>): Promise<void> {
  // Room on each page, since every page of events that is sent moves the position.
  await sql`
    create table webhooks (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      url text not null,
      -- an empty list: all
      types text[] not null,
      board_id uuid,
      description text,
      state text not null default 'active' check (state in ('active', 'paused', 'failing', 'disabled')),
      disabled_reason text check (disabled_reason in ('gone', 'failures')),
      failing_since timestamptz(3),
      -- sealed: never in clear text
      secret text not null,
      former_secret text,
      former_secret_until timestamptz(3),
      -- every event up to here was sent, is not for this webhook, or belongs to a waiting lane
      position bigint not null,
      -- the range of a replay, and its position
      replay_after bigint,
      replay_until bigint,
      replay_position bigint,
      created_by uuid not null,
      -- the time of a takeover: earlier deliveries are hidden from the new creator
      taken_over_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      -- the lease: the process that sends its events, and until when
      lease_id uuid,
      leased_until timestamptz(3),
      taken_at timestamptz(3),
      -- nothing is sent before
      not_before timestamptz(3),
      -- when the first waiting lane is due
      retry_at timestamptz(3),
      -- the epoch of this database in which the register's revocations were last applied
      epoch integer not null default 1,
      -- no known key decrypts its secret
      secret_unreadable boolean not null default false,
      primary key (workspace_id, id)
    ) with (fillfactor = 50)`.execute(db);
  // Those that a fall left behind.
  await sql`create index webhooks_by_epoch on webhooks (epoch)`.execute(db);
  await sql`
    create table waiting_deliveries (
      workspace_id uuid not null,
      webhook_id uuid not null,
      -- a card, a board or the workspace, whose events are sent in order
      lane text not null,
      -- ranges of the log, [[first, last]], null for up to the position: the lane's events in them wait
      ranges jsonb not null,
      -- of the first of these events
      attempts integer not null,
      first_failed_at timestamptz(3),
      due_at timestamptz(3) not null,
      primary key (workspace_id, webhook_id, lane)
    )`.execute(db);
  await sql`
    create table deliveries (
      workspace_id uuid not null,
      webhook_id uuid not null,
      id uuid not null,
      -- null for events about the webhook itself
      event_id uuid,
      type text,
      seq bigint,
      attempt integer,
      status integer,
      milliseconds integer,
      answer text,
      error text,
      next_try_at timestamptz(3),
      at timestamptz(3) not null,
      primary key (workspace_id, webhook_id, id)
    )`.execute(db);
  await sql`create index deliveries_by_age on deliveries (at)`.execute(db);
}
