import { type Database, prepared } from '@cardinal/db';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { Tables } from '../context.ts';
import type { Item } from './lanes.ts';

/** A webhook that this process sends to until its lease is over. */
export interface LeasedWebhook {
  workspace_id: string;
  id: string;
  version: number;
  url: string;
  types: string[];
  board_id: string | null;
  state: 'active' | 'failing';
  failing_since: Date | null;
  secret: string;
  former_secret: string | null;
  former_secret_until: Date | null;
  position: number;
  replay_until: number | null;
  replay_position: number | null;
  created_by: string;
  lease_id: string;
}

/** Leases go by the database's clock: that of a process may be ahead, and would take what others have. */
const isFree = '(leased_until is null or leased_until <= now())';

/**
 * $1 the lease, $2 for how long, ms, $3 now, $4 how many
 * @param only narrows down which are looked at
 */
const leaseStatement = (title: string, only: string) =>
  prepared<LeasedWebhook>(
    title,
    `with due as (
  select webhooks.workspace_id, id, taken_at,
    row_number() over (partition by webhooks.workspace_id order by taken_at nulls first) as turn
  from webhooks left join logs on logs.workspace_id = webhooks.workspace_id
  where state in ('active', 'failing') and not secret_unreadable and ${isFree}
    and (not_before is null or not_before <= $3)
    and (position < coalesce(logs.last, 0) or retry_at <= $3 or replay_until is not null)${only}
  order by turn, taken_at nulls first limit $4
)
update webhooks set lease_id = $1, leased_until = now() + $2 * interval '1 ms', taken_at = now()
from due
where (webhooks.workspace_id, webhooks.id) = (due.workspace_id, due.id)
  -- Two who look at once find the same ones: one gets each.
  and ${isFree}
returning webhooks.workspace_id, webhooks.id, version, url, types, board_id, state, failing_since,
  secret, former_secret, former_secret_until, position, replay_until, replay_position, created_by, lease_id`,
  );
const leaseAny = leaseStatement('lease-webhooks', '');
/** $5 their workspaces */
const leaseThoseOf = leaseStatement('lease-webhooks-of', ' and webhooks.workspace_id = any ($5::uuid[])');

interface Which {
  now: Date;
  /** Others may take them after so long, should this process vanish, ms. */
  leaseMs: number;
  limit: number;
  /** The only ones that are looked at; all where left out. */
  workspaces?: readonly string[] | undefined;
}

/**
 * Takes webhooks that have something to be sent and that no other process has: those of different workspaces before the
 * second ones of a workspace, and of these the one that had its turn longest ago.
 */
export const leaseWebhooks = async (
  db: Database<Tables>,
  { now, leaseMs, limit, workspaces }: Which,
): Promise<LeasedWebhook[]> => {
  const values = [v7(), leaseMs, now, limit];
  // Repeated where a connection broke: what it took then, nobody has until its lease is over.
  return db.statement((tx) => (workspaces ? leaseThoseOf.run(tx, [...values, workspaces]) : leaseAny.run(tx, values)));
};

/** What waits for a webhook, in the order of the log. */
export const readWaiting = async (db: Database<Tables>, webhook: LeasedWebhook): Promise<Item[]> => {
  const { rows } = await db.read((tx) =>
    sql<{
      seq: number;
      event_id: string;
      type: string;
      lane: string;
      attempts: number;
      first_failed_at: Date | null;
      due_at: Date;
    }>`
    select seq, event_id, type, lane, attempts, first_failed_at, due_at from waiting_deliveries
    where workspace_id = ${webhook.workspace_id} and webhook_id = ${webhook.id} order by seq`.execute(tx),
  );
  return rows.map(({ event_id, first_failed_at, due_at, ...row }) => ({
    ...row,
    id: event_id,
    firstFailedAt: first_failed_at?.getTime() ?? null,
    dueAt: due_at.getTime(),
    isStored: true,
  }));
};

/** A row of `deliveries`; its id is given when it is written. */
export interface DeliveryRow {
  event_id: string | null;
  type: string | null;
  seq: number | null;
  attempt: number | null;
  status: number | null;
  milliseconds: number | null;
  answer: string | null;
  error: string | null;
  next_try_at: Date | null;
  at: Date;
}

/** What a turn came to so far. */
export interface Progress {
  deliveries: readonly DeliveryRow[];
  /** Waited, and need not any longer. */
  settled: readonly number[];
  /** Wait from now on, or wait for something else than before. */
  waiting: readonly Item[];
  position?: number | undefined;
  replayPosition?: number | undefined;
  /** A new state, or the end of a replay: applied unless somebody changed the webhook since it was read. */
  change?: StateChange | undefined;
  leaseMs: number;
  /** When the first of what waits is due. */
  retryAt: Date | null;
  /** Set where the lease ends: before which nothing is sent. */
  rest?: { notBefore: Date | null } | undefined;
}

export interface StateChange {
  state?: 'active' | 'failing' | 'disabled';
  disabled_reason?: 'gone' | 'failures' | null;
  failing_since?: Date | null;
  endsReplay?: true;
}

/** What a write found and left. */
interface Settled {
  version: number;
  /** Nobody had changed the webhook since it was read, so a change was applied. */
  unchanged: boolean;
}

const write = prepared<Settled>(
  'settle-deliveries',
  `with ours as (
  select version = $4 as unchanged from webhooks where workspace_id = $1 and id = $2 and lease_id = $3 for update
),
logged as (
  insert into deliveries (workspace_id, webhook_id, id, event_id, type, seq, attempt, status, milliseconds, answer, error,
    next_try_at, at)
  select $1::uuid, $2::uuid, id, event_id, type, seq, attempt, status, milliseconds, answer, error, next_try_at, at
  from ours, json_to_recordset($5) as news (id uuid, event_id uuid, type text, seq bigint, attempt integer,
    status integer, milliseconds integer, answer text, error text, next_try_at timestamptz, at timestamptz)
),
settled as (
  delete from waiting_deliveries using ours
  where workspace_id = $1 and webhook_id = $2 and seq in (select value::bigint from json_array_elements_text($6))
),
waiting as (
  insert into waiting_deliveries (workspace_id, webhook_id, seq, event_id, type, lane, attempts, first_failed_at, due_at)
  select $1::uuid, $2::uuid, seq, event_id, type, lane, attempts, first_failed_at, due_at
  from ours, json_to_recordset($7) as news (seq bigint, event_id uuid, type text, lane text, attempts integer,
    first_failed_at timestamptz, due_at timestamptz)
  on conflict (workspace_id, webhook_id, seq) do update set attempts = excluded.attempts,
    first_failed_at = excluded.first_failed_at, due_at = excluded.due_at
)
update webhooks set
  position = coalesce(moved.position, webhooks.position),
  replay_position = coalesce(moved.replay_position, webhooks.replay_position),
  leased_until = case when not moved.is_over then now() + moved.lease_ms * interval '1 ms' end,
  lease_id = case when moved.is_over then null else lease_id end,
  not_before = case when moved.is_over and unchanged then moved.not_before else webhooks.not_before end,
  retry_at = case when unchanged then moved.retry_at else least(webhooks.retry_at, moved.retry_at) end,
  version = webhooks.version + (unchanged and moved.changes)::integer,
  updated_at = case when unchanged and moved.changes then moved.at else updated_at end,
  state = case when unchanged and moved.changes then moved.state else webhooks.state end,
  disabled_reason = case when unchanged and moved.changes then moved.disabled_reason else webhooks.disabled_reason end,
  failing_since = case when unchanged and moved.changes then moved.failing_since else webhooks.failing_since end,
  replay_after = case when unchanged and moved.ends_replay then null else replay_after end,
  replay_until = case when unchanged and moved.ends_replay then null else replay_until end
from ours, json_to_record($8) as moved (position bigint, replay_position bigint, lease_ms integer,
  is_over boolean, not_before timestamptz, retry_at timestamptz, changes boolean, at timestamptz, state text,
  disabled_reason text, failing_since timestamptz, ends_replay boolean)
where workspace_id = $1 and id = $2
returning version, unchanged`,
);

/**
 * Writes down in one statement what was sent, what waits and how far the webhook is, and keeps the lease or ends it.
 * @returns undefined where the lease is somebody else's, or the webhook is gone, and nothing was written
 */
export const settle = async (
  db: Database<Tables>,
  webhook: LeasedWebhook,
  { deliveries, settled, waiting, position, replayPosition, change, leaseMs, retryAt, rest }: Progress,
  now: Date,
): Promise<Settled | undefined> => {
  const { workspace_id, id, lease_id, version } = webhook;
  const rows = waiting.map((item) => ({
    ...{ seq: item.seq, event_id: item.id, type: item.type, lane: item.lane, attempts: item.attempts },
    first_failed_at: item.firstFailedAt === null ? null : new Date(item.firstFailedAt),
    due_at: new Date(item.dueAt),
  }));
  const moved = {
    ...{ position, replay_position: replayPosition, lease_ms: leaseMs, is_over: !!rest },
    ...{ not_before: rest?.notBefore, retry_at: retryAt, changes: !!change, at: now },
    ...{ state: change?.state ?? webhook.state, disabled_reason: change?.disabled_reason ?? null },
    failing_since: change?.failing_since === undefined ? webhook.failing_since : change.failing_since,
    ends_replay: change?.endsReplay ?? false,
  };
  const values = [
    ...[workspace_id, id, lease_id, version],
    JSON.stringify(deliveries.map((row) => ({ id: v7(), ...row }))),
    ...[settled, rows, moved].map((part) => JSON.stringify(part)),
  ];
  // Repeated where a connection broke: what it wrote then is written twice into the log of deliveries, and nothing else.
  const [row] = await db.statement((tx) => write.run(tx, values));
  return row;
};
