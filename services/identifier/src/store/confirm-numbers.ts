import type { Confirmation } from '@cardinal/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from './tables.gen.ts';

/**
 * Marks the numbers of committed operations as issued; one that is issued already stays as it is. Rows are locked in one
 * order, because the same confirmations come by request, by event and by sweeper, to every instance at once. They are asked for
 * as "not issued", because "pending" invites the planner to walk the sweeper's index, which is no help in finding an
 * operation.
 * @returns the operations that have a number, as `workspace/operation`
 */
export const confirmNumbers = async (tx: Kysely<DB>, confirmations: Confirmation[]): Promise<Set<string>> => {
  const { rows } = await sql<{ workspace_id: string; operation_id: string }>`
    with asked as (
      select *
      from unnest(
        ${confirmations.map((entry) => entry.workspace_id)}::uuid[],
        ${confirmations.map((entry) => entry.operation_id)}::uuid[],
        ${confirmations.map((entry) => entry.card_version)}::int[],
        ${confirmations.map((entry) => entry.assigned_at)}::timestamptz[]
      ) as asked (workspace_id, operation_id, card_version, assigned_at)
    ), pending as (
      select asked.*
      from identifiers i join asked using (workspace_id, operation_id)
      where i.state <> 'issued'
      order by i.workspace_id, i.operation_id
      for no key update of i
    ), issued as (
      update identifiers i
      set state = 'issued', card_version = pending.card_version, assigned_at = pending.assigned_at
      from pending
      where i.workspace_id = pending.workspace_id and i.operation_id = pending.operation_id and i.state <> 'issued'
    )
    select workspace_id, operation_id
    from identifiers join asked using (workspace_id, operation_id)`.execute(tx);
  return new Set(rows.map((row) => `${row.workspace_id}/${row.operation_id}`));
};
