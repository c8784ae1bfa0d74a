import { leastMargin } from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import { sql } from 'kysely';
import type { Tables } from '../database.ts';

/** Days before the last write that say how many numbers a workstream gives out in one, and how many times those are skipped. */
const [daysLookedAt, times] = [30, 10];

/**
 * Sets every counter on where nobody knows which numbers were given out since the last write (ADR 0071): by the larger of
 * `least` and ten times the most numbers that the workstream gave out on one day of the last 30, for each day begun. One
 * that adopts is opened that much higher.
 * @returns the largest margin, in numbers
 */
export const setOn = async (
  tx: Transaction<Tables>,
  { days, least }: { days: number; least: number },
): Promise<number> => {
  const { rows } = await sql<{ largest: number }>`
    with days as (
      select workspace_id, prefix, count(*) as numbers from identifiers
      where assigned_at > (select max(assigned_at) from identifiers) - make_interval(days => ${daysLookedAt}::integer)
      group by workspace_id, prefix, (assigned_at at time zone 'utc')::date
    ),
    margins as (
      select workspace_id, prefix,
        greatest(${least}::bigint, ${days}::bigint * greatest(${leastMargin}::bigint, ${times}::bigint * coalesce(max(numbers), 0))) as margin
      from workstreams left join days using (workspace_id, prefix)
      group by workspace_id, prefix
    ),
    advanced as (
      update workstreams as own set
        granted_through = case when adopting then 0 else greatest(granted_through, adopted_through) + margin end,
        adopted_through = case when adopting then adopted_through + margin else adopted_through end
      from margins where margins.workspace_id = own.workspace_id and margins.prefix = own.prefix
      returning margin
    )
    select coalesce(max(margin), 0)::bigint as largest from advanced`.execute(tx);
  return rows[0]?.largest ?? 0;
};
