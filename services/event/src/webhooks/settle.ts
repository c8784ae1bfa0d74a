import { type Database, prepared } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { Tables } from '../context.ts';
import type { LeasedWebhook, WaitingLane } from './leases.ts';

/** A row of `deliveries`; it gets an id where it is written first. */
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
  on conflict do nothing
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
  // What is written once more, since nobody knows whether it was written, is one row.
  const ids = new WeakMap<DeliveryRow, string>();
  const idOf = (row: DeliveryRow): string => {
    const id = ids.get(row) ?? v7();
    ids.set(row, id);
    return id;
  };
  const writes = coalesce<Progress, Settled | { isLost: true }>({
    name: 'webhook_progress',
    laneOf: ({ webhook }) => webhook.workspace_id,
    run: async (all) => {
      const parts = [
        all.map(movedOf),
        all.flatMap(({ webhook, deliveries }) =>
          deliveries.map((row) => ({ webhook_id: webhook.id, id: idOf(row), ...row })),
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
      const rows = new Map((await db.statement((tx) => write.run(tx, values))).map((row) => [row.id, row]));
      return all.map(({ webhook }) => rows.get(webhook.id) ?? { isLost: true });
    },
  });
  return async (progress) => {
    const settled = await writes.submit(progress);
    return 'isLost' in settled ? undefined : settled;
  };
};
