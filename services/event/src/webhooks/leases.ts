import { type Database, prepared } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { Tables } from '../context.ts';
import type { Lane, Range } from './lanes.ts';

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
  /** When the first of what waits is due; null where nothing does. */
  retry_at: Date | null;
  /** The last number of the log. */
  last: number;
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
  select webhooks.workspace_id, id, taken_at, coalesce(logs.last, 0) as last,
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
  secret, former_secret, former_secret_until, position, replay_until, replay_position, created_by, lease_id,
  retry_at, last`,
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

/** A lane that waits, as the database has it. */
export type WaitingLane = Pick<Lane, 'ranges' | 'attempts' | 'firstFailedAt' | 'dueAt'>;

/** $1 the workspace, $2 the webhook */
const findWaiting = prepared<{
  lane: string;
  ranges: Range[];
  attempts: number;
  first_failed_at: Date | null;
  due_at: Date;
}>(
  'lanes-that-wait',
  `select lane, ranges, attempts, first_failed_at, due_at from waiting_deliveries
where workspace_id = $1 and webhook_id = $2 order by due_at`,
);

/** What waits for a webhook, by lane, in the order in which it is due. */
export const readWaiting = async (
  db: Database<Tables>,
  { workspace_id, id, retry_at }: LeasedWebhook,
): Promise<Map<string, WaitingLane>> => {
  if (retry_at === null) return new Map();
  const rows = await db.read((tx) => findWaiting.run(tx, [workspace_id, id]));
  return new Map(
    rows.map(({ lane, first_failed_at, due_at, ...row }) => [
      lane,
      { ...row, firstFailedAt: first_failed_at?.getTime() ?? null, dueAt: due_at.getTime() },
    ]),
  );
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
  /** As it is known. */
  webhook: LeasedWebhook;
  deliveries: readonly DeliveryRow[];
  /** Lanes that do not wait any longer. */
  settled: readonly string[];
  /** Lanes that wait from now on, or elsewhere than before. */
  waiting: readonly (WaitingLane & { lane: string })[];
  position?: number | undefined;
  replayPosition?: number | undefined;
  /** A new state, or the end of a replay: applied unless somebody changed the webhook since it was read. */
  change?: StateChange | undefined;
  leaseMs: number;
  /** When the first of what waits is due. */
  retryAt: Date | null;
  /** Set where the lease ends: before which nothing is sent; and what of that the receiver asked for. */
  rest: { notBefore: Date | null; retryAfter: Date | null } | undefined;
  at: Date;
}

export interface StateChange {
  state?: 'active' | 'failing' | 'disabled';
  disabled_reason?: 'gone' | 'failures' | null;
  failing_since?: Date | null;
  endsReplay?: true;
}

/** What a write found and left. */
export interface Settled {
  version: number;
  /** Nobody had changed the webhook since it was read, so a change was applied. */
  unchanged: boolean;
}

/** $1 the workspace, $2 webhooks, $3 attempts, $4 lanes that do not wait any longer, $5 lanes that wait */
const write = prepared<Settled & { id: string }>(
  'settle-deliveries',
  `with ours as materialized (
  select moved.*, webhooks.version = moved.known as unchanged
  from webhooks join json_to_recordset($2) as moved (id uuid, lease_id uuid, known integer, sent_to text,
    position bigint, replay_position bigint, lease_ms integer, is_over boolean, not_before timestamptz,
    retry_after timestamptz, retry_at timestamptz, changes boolean, at timestamptz, state text, disabled_reason text,
    failing_since timestamptz, ends_replay boolean) using (id, lease_id)
  where workspace_id = $1
  -- In a fixed order, so that two instances cannot deadlock.
  order by webhooks.id for no key update of webhooks
),
logged as (
  insert into deliveries (workspace_id, webhook_id, id, event_id, type, seq, attempt, status, milliseconds, answer, error,
    next_try_at, at)
  select $1::uuid, webhook_id, news.id, event_id, type, seq, attempt, status, milliseconds, answer, error, next_try_at,
    news.at
  from ours join json_to_recordset($3) as news (webhook_id uuid, id uuid, event_id uuid, type text, seq bigint,
    attempt integer, status integer, milliseconds integer, answer text, error text, next_try_at timestamptz,
    at timestamptz) on webhook_id = ours.id
),
settled as (
  delete from waiting_deliveries using ours, json_to_recordset($4) as gone (id uuid, lane text)
  where workspace_id = $1 and webhook_id = ours.id and gone.id = ours.id and waiting_deliveries.lane = gone.lane
),
waiting as (
  insert into waiting_deliveries (workspace_id, webhook_id, lane, ranges, attempts, first_failed_at, due_at)
  select $1::uuid, webhook_id, lane, ranges, attempts, first_failed_at, due_at
  from ours join json_to_recordset($5) as news (webhook_id uuid, lane text, ranges jsonb, attempts integer,
    first_failed_at timestamptz, due_at timestamptz) on webhook_id = ours.id
  on conflict (workspace_id, webhook_id, lane) do update set ranges = excluded.ranges, attempts = excluded.attempts,
    first_failed_at = excluded.first_failed_at, due_at = excluded.due_at
)
update webhooks set
  position = coalesce(ours.position, webhooks.position),
  replay_position = coalesce(ours.replay_position, webhooks.replay_position),
  leased_until = case when not ours.is_over then now() + ours.lease_ms * interval '1 ms' end,
  lease_id = case when ours.is_over then null else webhooks.lease_id end,
  not_before = case
    when not ours.is_over then webhooks.not_before
    when unchanged then ours.not_before
    -- Whatever else was changed, it is the receiver that asks to be left alone.
    when url = sent_to then greatest(webhooks.not_before, ours.retry_after)
    else webhooks.not_before end,
  retry_at = case when unchanged then ours.retry_at else least(webhooks.retry_at, ours.retry_at) end,
  version = webhooks.version + (unchanged and ours.changes)::integer,
  updated_at = case when unchanged and ours.changes then ours.at else updated_at end,
  state = case when unchanged and ours.changes then ours.state else webhooks.state end,
  disabled_reason = case when unchanged and ours.changes then ours.disabled_reason else webhooks.disabled_reason end,
  failing_since = case when unchanged and ours.changes then ours.failing_since else webhooks.failing_since end,
  replay_after = case when unchanged and ours.ends_replay then null else replay_after end,
  replay_until = case when unchanged and ours.ends_replay then null else replay_until end
from ours
where workspace_id = $1 and webhooks.id = ours.id
returning webhooks.id, version, unchanged`,
);

const movedOf = ({ webhook, position, replayPosition, change, leaseMs, retryAt, rest, at }: Progress) => ({
  ...{ id: webhook.id, lease_id: webhook.lease_id, known: webhook.version, sent_to: webhook.url },
  ...{ position, replay_position: replayPosition, lease_ms: leaseMs, is_over: !!rest },
  ...{ not_before: rest?.notBefore, retry_after: rest?.retryAfter, retry_at: retryAt, changes: !!change, at },
  ...{ state: change?.state ?? webhook.state, disabled_reason: change?.disabled_reason ?? null },
  failing_since: change?.failing_since === undefined ? webhook.failing_since : change.failing_since,
  ends_replay: change?.endsReplay ?? false,
});

/** Writes down what a turn came to. @returns undefined where the lease is somebody else's, or the webhook is gone */
export type Settle = (progress: Progress) => Promise<Settled | undefined>;

/**
 * Writes down what was sent, what waits and how far webhooks are, and keeps their leases or ends them: in one statement for
 * those of a workspace that are written down while another such statement is under way.
 */
export const createSettle = (db: Database<Tables>): Settle => {
  const writes = coalesce<Progress, Settled | { isLost: true }>({
    name: 'webhook_progress',
    laneOf: ({ webhook }) => webhook.workspace_id,
    run: async (all) => {
      const parts = [
        all.map(movedOf),
        all.flatMap(({ webhook, deliveries }) =>
          deliveries.map((row) => ({ webhook_id: webhook.id, id: v7(), ...row })),
        ),
        all.flatMap(({ webhook, settled }) => settled.map((lane) => ({ id: webhook.id, lane }))),
        all.flatMap(({ webhook, waiting }) =>
          waiting.map(({ lane, ranges, attempts, firstFailedAt, dueAt }) => ({
            ...{ webhook_id: webhook.id, lane, ranges, attempts, due_at: new Date(dueAt) },
            first_failed_at: firstFailedAt === null ? null : new Date(firstFailedAt),
          })),
        ),
      ];
      const values = [all[0]?.webhook.workspace_id, ...parts.map((part) => JSON.stringify(part))];
      // Repeated where a connection broke: what it wrote then is written twice into the log of deliveries, and nothing else.
      const rows = new Map((await db.statement((tx) => write.run(tx, values))).map((row) => [row.id, row]));
      return all.map(({ webhook }) => rows.get(webhook.id) ?? { isLost: true });
    },
  });
  return async (progress) => {
    const settled = await writes.submit(progress);
    return 'isLost' in settled ? undefined : settled;
  };
};
