import { type Database, prepared } from '@cardinal/db';
import { v7 } from 'uuid';
import type { Tables } from '../context.ts';
import type { Lane, Range } from './lanes.ts';

/** A webhook whose lease this process has: the columns that delivery needs. */
export interface LeasedWebhook {
  workspace_id: string;
  id: string;
  version: number;
  url: string;
  types: string[];
  board_id: string | null;
  changed: string[];
  private_boards: boolean;
  state: 'active' | 'failing';
  failing_since: Date | null;
  secret: string;
  former_secret: string | null;
  former_secret_until: Date | null;
  /** The webhook has read new events up to this sequence number; pending ones before it are in waiting lanes. */
  position: number;
  replay_until: number | null;
  replay_position: number | null;
  created_by: string;
  lease_id: string;
  /** The epoch of the database in which this process leased it. */
  epoch: number;
  /** When this process leased it, by the clock of the database. */
  taken_at: Date;
  /** When the first waiting lane is due; null if none waits. */
  retry_at: Date | null;
  /** The last sequence number of the log. */
  last: number;
}

/**
 * Times that another process acts on are by the clock of the database. A process whose clock is ahead would take leases
 * that have not expired, and store attempts as due when nobody with the right clock would make them.
 */
const isFree = '(leased_until is null or leased_until <= now())';

/**
 * $1 lease id, $2 length of the lease, ms, $3 how far the clock is ahead (`passed`), ms, $4 limit
 * @param only another condition, in SQL
 */
const leaseStatement = (title: string, only: string) =>
  prepared<Omit<LeasedWebhook, 'epoch'>>(
    title,
    `with due as (
  select webhooks.workspace_id, id, taken_at, coalesce(logs.last, 0) as last,
    row_number() over (partition by webhooks.workspace_id order by taken_at nulls first) as turn
  from webhooks left join logs on logs.workspace_id = webhooks.workspace_id
  where state in ('active', 'failing') and not secret_unreadable and ${isFree}
    and (not_before is null or not_before <= now() + $3 * interval '1 ms')
    and (position < coalesce(logs.last, 0) or retry_at <= now() + $3 * interval '1 ms' or replay_until is not null)${only}
  order by turn, taken_at nulls first limit $4
)
update webhooks set lease_id = $1, leased_until = now() + $2 * interval '1 ms', taken_at = now()
from due
where (webhooks.workspace_id, webhooks.id) = (due.workspace_id, due.id)
  -- Of two processes that find the same webhook one gets it.
  and ${isFree}
returning webhooks.workspace_id, webhooks.id, version, url, types, board_id, changed, private_boards, state, failing_since,
  secret, former_secret, former_secret_until, position, replay_until, replay_position, created_by, lease_id,
  webhooks.taken_at, retry_at, last`,
  );
const leaseAny = leaseStatement('lease-webhooks', '');
/** $5 workspaces */
const leaseOfWorkspaces = leaseStatement('lease-webhooks-of', ' and webhooks.workspace_id = any ($5::uuid[])');

interface LeaseRequest {
  /** The present epoch of the database. */
  epoch: number;
  /** As in `Session`. */
  passed: number;
  /** After this time without a flush other processes may lease the webhook, ms. */
  leaseMs: number;
  limit: number;
  /** Only webhooks of these; undefined for all workspaces. */
  workspaces?: readonly string[] | undefined;
}

/**
 * Leases webhooks that have something to send and no valid lease. Workspaces take turns: the first webhook of each comes before
 * the second one of any. Within a workspace the webhook that was leased longest ago is first.
 */
export const leaseWebhooks = async (
  db: Database<Tables>,
  { epoch, passed, leaseMs, limit, workspaces }: LeaseRequest,
): Promise<LeasedWebhook[]> => {
  const values = [v7(), leaseMs, passed, limit];
  // Repeated if the connection breaks. Webhooks leased by a lost first try are free again when that lease expires.
  const leased = await db.statement((tx) =>
    workspaces ? leaseOfWorkspaces.run(tx, [...values, workspaces]) : leaseAny.run(tx, values),
  );
  return leased.map((webhook) => ({ ...webhook, epoch }));
};

/** $1 workspace, $2 webhook, $3 lease id, $4 pause before the next lease, ms */
const giveBackLease = prepared(
  'give-back-webhook',
  `update webhooks set lease_id = null, leased_until = null,
  not_before = greatest(not_before, now() + $4 * interval '1 ms')
where workspace_id = $1 and id = $2 and lease_id = $3`,
);

/** A waiting lane, as the database stores it. */
export type WaitingLane = Pick<Lane, 'ranges' | 'attempts' | 'firstFailedAt' | 'dueAt'>;

/** $1 workspaces, $2 webhook ids */
const findWaiting = prepared<{
  webhook_id: string;
  lane: string;
  ranges: Range[];
  attempts: number;
  first_failed_at: Date | null;
  due_at: Date;
}>(
  'lanes-that-wait',
  `select webhook_id, lane, ranges, attempts, first_failed_at, due_at
from unnest($1::uuid[], $2::uuid[]) as asked (workspace_id, webhook_id) join waiting_deliveries using (workspace_id, webhook_id)
order by due_at`,
);

/** Reads the waiting lanes of webhooks. @returns by webhook id, then by lane key in the order of `dueAt` */
export const readWaiting = async (
  db: Database<Tables>,
  webhooks: readonly LeasedWebhook[],
): Promise<Map<string, Map<string, WaitingLane>>> => {
  const waiting = new Map(webhooks.map(({ id }) => [id, new Map<string, WaitingLane>()]));
  const asked = webhooks.filter(({ retry_at }) => retry_at !== null);
  if (asked.length === 0) return waiting;
  const values = [asked.map(({ workspace_id }) => workspace_id), asked.map(({ id }) => id)];
  for (const { webhook_id, lane, ...row } of await db.read((tx) => findWaiting.run(tx, values))) {
    const { ranges, attempts, first_failed_at, due_at } = row;
    const firstFailedAt = first_failed_at?.getTime() ?? null;
    waiting.get(webhook_id)?.set(lane, { ranges, attempts, firstFailedAt, dueAt: due_at.getTime() });
  }
  return waiting;
};

/**
 * Releases the lease of a session that broke off, so that the webhook need not wait until it expires.
 * @param pauseMs before the next lease
 */
export const giveBack = (db: Database<Tables>, { workspace_id, id, lease_id }: LeasedWebhook, pauseMs: number) =>
  db.statement((tx) => giveBackLease.run(tx, [workspace_id, id, lease_id, pauseMs]));
