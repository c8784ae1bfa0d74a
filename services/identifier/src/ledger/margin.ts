import { leastMargin } from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import { sql } from 'kysely';
import type { Tables } from '../database.ts';

/**
 * The days before the last write in which the busiest day of a workstream is found, and the factor by which that day is
 * multiplied.
 */
const [daysLookedAt, times] = [30, 10];

/**
 * Advances the bounds of all workstreams by a margin after the loss of the register (ADR 0071; ARCHITECTURE,
 * "Lineage"). Per day since the last write, the margin is the larger of `leastMargin` and ten times the workstream's
 * busiest day of the last 30. A workstream that adopts opens that much higher.
 * @param days the days since the last write
 * @param least the smallest margin of all days together, in numbers
 * @returns the largest margin, in numbers
 */
export const advanceCounters = async (
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
