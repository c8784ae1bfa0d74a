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
      -- none: all
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
      -- every event of the log up to here was sent, is not to be sent, or is of a lane that waits
      position bigint not null,
      -- what is sent again, and how far that is
      replay_after bigint,
      replay_until bigint,
      replay_position bigint,
      created_by uuid not null,
      -- since when, where another admin made it: what was sent before is not shown to them
      taken_over_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      -- which process sends its events, and until when others leave it alone
      lease_id uuid,
      leased_until timestamptz(3),
      taken_at timestamptz(3),
      -- nothing is sent before
      not_before timestamptz(3),
      -- when the first of what waits is due
      retry_at timestamptz(3),
      -- the epoch of this database in which the register was last asked what was taken away
      epoch integer not null default 1,
      -- no key that is known opens its secret
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
      -- numbers of the log, [[first, last]], null for as far as the position: what of the lane is within them waits
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
      -- null: the log says something of the webhook itself
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
