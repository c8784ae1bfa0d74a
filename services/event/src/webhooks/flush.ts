import { unavailable } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { DeliveryContext } from './context.ts';
import type { LeasedWebhook, WaitingLane } from './leases.ts';

/** A row of the table `deliveries`, without its id: the first flush assigns that. */
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

/** What one flush stores of a delivery session. */
export interface Progress {
  /** The webhook as the session knows it. */
  webhook: LeasedWebhook;
  /** Rows to add to the list of deliveries. */
  deliveries: readonly DeliveryRow[];
  /** Keys of lanes that no longer wait: their rows are deleted. */
  cleared: readonly string[];
  /** Waiting lanes that are new or changed. */
  waiting: readonly (WaitingLane & { lane: string })[];
  /** The new position in the log, if no replay is under way. */
  position?: number | undefined;
  /** The new position of the replay. */
  replayPosition?: number | undefined;
  /** A new state, or the end of a replay. It is applied only if no client changed the webhook since it was leased. */
  change?: StateChange | undefined;
  leaseMs: number;
  /** When the first waiting lane is due; null if none waits. */
  retryAt: Date | null;
  /**
   * Set to release the lease, undefined to renew it. No process leases the webhook before `notBefore`; `retryAfter` is the part of
   * that which the receiver asked for.
   */
  release: { notBefore: Date | null; retryAfter: Date | null } | undefined;
  at: Date;
}

export interface StateChange {
  state?: 'active' | 'failing' | 'disabled';
  disabled_reason?: 'gone' | 'failures' | null;
  failing_since?: Date | null;
  endsReplay?: true;
}

/** What a flush returns of a webhook. */
export interface FlushResult {
  /** The version after the flush. */
  version: number;
  /** No client changed the webhook since it was leased, so `change` was applied. */
  unchanged: boolean;
}

/** $1 workspace, $2 webhooks with their new positions, $3 new rows of `deliveries`, $4 cleared lanes, $5 waiting lanes */
const flushStatement = prepared<FlushResult & { id: string }>(
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
    -- Also after other changes of the webhook: the receiver sent Retry-After.
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

/** Returns the row of $2. */
const webhookRowOf = ({ webhook, position, replayPosition, change, leaseMs, retryAt, release, at }: Progress) => ({
  id: webhook.id,
  lease_id: webhook.lease_id,
  known: webhook.version,
  sent_to: webhook.url,
  position,
  replay_position: replayPosition,
  lease_ms: leaseMs,
  is_over: !!release,
  not_before: release?.notBefore,
  retry_after: release?.retryAfter,
  retry_at: retryAt,
  changes: !!change,
  at,
  state: change?.state ?? webhook.state,
  disabled_reason: change?.disabled_reason ?? null,
  failing_since: change?.failing_since === undefined ? webhook.failing_since : change.failing_since,
  ends_replay: change?.endsReplay ?? false,
});

/**
 * Stores the progress of a session and renews or releases its lease. It is idempotent: a flush may be repeated if its outcome is
 * unknown.
 * @returns undefined if another process has the lease, the webhook was deleted, or the database rolled back: nothing was stored
 */
export type Flush = (progress: Progress) => Promise<FlushResult | undefined>;

/**
 * Creates the flush for all sessions of a process. Flushes are batched: those of one workspace that arrive during a statement
 * share the next one. A session that was leased before a rollback of the database stores nothing: what it stored before may
 * be lost, and only the whole would be true.
 */
export const createFlush = ({ db, lineage }: Pick<DeliveryContext, 'db' | 'lineage'>): Flush => {
  // A row keeps its id when its flush is repeated, so it is inserted once.
  const ids = new WeakMap<DeliveryRow, string>();
  const idOf = (row: DeliveryRow): string => {
    const id = ids.get(row) ?? v7();
    ids.set(row, id);
    return id;
  };
  const flushes = coalesce<Progress, FlushResult | { isLost: true }>({
    name: 'webhook_progress',
    laneOf: ({ webhook }) => webhook.workspace_id,
    run: async (all) => {
      const { epoch } = await lineage.met();
      const ours = all.filter(({ webhook }) => webhook.epoch === epoch);
      const parts = [
        ours.map(webhookRowOf),
        ours.flatMap(({ webhook, deliveries }) =>
          deliveries.map((row) => ({ webhook_id: webhook.id, id: idOf(row), ...row })),
        ),
        ours.flatMap(({ webhook, cleared }) => cleared.map((lane) => ({ id: webhook.id, lane }))),
        ours.flatMap(({ webhook, waiting }) =>
          waiting.map(({ lane, ranges, attempts, firstFailedAt, dueAt }) => ({
            webhook_id: webhook.id,
            lane,
            ranges,
            attempts,
            due_at: new Date(dueAt),
            first_failed_at: firstFailedAt === null ? null : new Date(firstFailedAt),
          })),
        ),
      ];
      const values = [all[0]?.webhook.workspace_id, ...parts.map((part) => JSON.stringify(part))];
      const rows = await db.statement(async (tx) => {
        if (lineage.current()?.epoch !== epoch) throw unavailable('The database became another one meanwhile');
        return flushStatement.run(tx, values);
      });
      const stored = new Map(rows.map((row) => [row.id, row]));
      return all.map(({ webhook }) => stored.get(webhook.id) ?? { isLost: true });
    },
  });
  return async (progress) => {
    const result = await flushes.submit(progress);
    return 'isLost' in result ? undefined : result;
  };
};
