import { type Database, prepared } from '@cardinal/db';
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

/** $1 the workspace, $2 the webhook, $3 its lease, $4 before when nothing is sent */
const giveBackLease = prepared(
  'give-back-webhook',
  `update webhooks set lease_id = null, leased_until = null,
  not_before = greatest(not_before, $4)
where workspace_id = $1 and id = $2 and lease_id = $3`,
);

/** A lane that waits, as the database has it. */
export type WaitingLane = Pick<Lane, 'ranges' | 'attempts' | 'firstFailedAt' | 'dueAt'>;

/** $1 the workspaces and $2 the ids of webhooks */
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

/** What waits for webhooks: for each by lane, in the order in which it is due. */
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
    const times = { firstFailedAt: first_failed_at?.getTime() ?? null, dueAt: due_at.getTime() };
    waiting.get(webhook_id)?.set(lane, { ranges, attempts, ...times });
  }
  return waiting;
};

/** Ends the lease of a turn that broke off, so that nothing waits until it is over. @param notBefore nothing is sent before */
export const giveBack = (db: Database<Tables>, { workspace_id, id, lease_id }: LeasedWebhook, notBefore: Date) =>
  db.statement((tx) => giveBackLease.run(tx, [workspace_id, id, lease_id, notBefore]));
