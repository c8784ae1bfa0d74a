import {
  type Grant,
  leastMargin,
  mainPrefix,
  type openRange as openRangeContract,
  type WorkstreamState,
} from '@cardinal/contracts';
import { isUniqueViolation } from '@cardinal/db';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Reader } from '../database.ts';

/**
 * Reads a workstream's range.
 * @param id null means the workspace's default workstream
 * @returns undefined where this database has no row of the workstream
 */
export const readRange = (tx: Reader, workspaceId: string, id: string | null) => {
  const ranges = tx
    .selectFrom('workstreams')
    .select(['id', 'last_number', 'granted_through', 'epoch', 'closed'])
    .select(sql<number>`tableoid::bigint`.as('table'))
    .where('workspace_id', '=', workspaceId);
  return (id === null ? ranges.where('prefix', '=', mainPrefix) : ranges.where('id', '=', id)).executeTakeFirst();
};

/**
 * Runs an upsert of a workstream's row, once more where another transaction inserts the row at the same time. The
 * upsert handles conflicts on the primary key alone. The two can conflict on the unique prefix first, and then the
 * second run finds the row.
 */
export const writeRange = <T>(write: () => Promise<T>): Promise<T> =>
  write().catch((error) => {
    if (!isUniqueViolation(error, 'workstreams_one_prefix')) throw error;
    return write();
  });

/**
 * Applies a grant, unless the range is closed or belongs to a later epoch, or a newer version of the workstream is
 * stored. The first grant of an epoch begins above all earlier grants (ARCHITECTURE, "Lineage"). Within an epoch, a
 * counter below the ledger's highest number shows an undetected rollback: it also continues above all earlier grants.
 */
export const applyGrant = async (
  tx: Reader,
  workspaceId: string,
  { workstream, granted_through, granted_before, highest_number, epoch, epoch_base }: Grant,
): Promise<void> => {
  const { id, version, name, prefix, archived_at } = workstream;
  const everIssued = Math.max(granted_before, highest_number);
  await sql`
    insert into workstreams as own (workspace_id, id, version, name, prefix, last_number, granted_through, epoch, closed)
    values (${workspaceId}, ${id}, ${version}, ${name}, ${prefix},
      ${highest_number === 0 ? epoch_base : Math.max(everIssued, epoch_base)}, ${granted_through}, ${epoch},
      ${archived_at !== null})
    on conflict (workspace_id, id) do update set
      version = excluded.version,
      name = excluded.name,
      last_number = case
        when own.epoch < ${epoch} then greatest(own.last_number, ${epoch_base})
        when own.last_number < ${highest_number} then ${everIssued}
        else own.last_number end,
      granted_through = case
        when own.epoch < ${epoch} then excluded.granted_through
        else greatest(own.granted_through, excluded.granted_through) end,
      epoch = ${epoch},
      closed = excluded.closed,
      -- A grant follows its opening, which a rollback of this database may have lost.
      adopting = false
    where not own.closed
      and (own.epoch < ${epoch} or own.epoch = ${epoch} and own.version <= excluded.version)`.execute(tx);
};

/** Empties a range, so that the next number needs a grant. */
export const emptyRange = async (tx: Reader, workspaceId: string, id: string): Promise<void> => {
  await tx
    .updateTable('workstreams')
    .set((row) => ({ granted_through: row.ref('last_number') }))
    .where(({ and }) => and({ workspace_id: workspaceId, id }))
    .execute();
};

/**
 * Advances every counter by a margin after the loss of the register (ADR 0071), and empties the ranges, so that the
 * next number needs a grant. The identifier service advances its bounds too, by the busiest day of each workstream, but
 * its database can be older than this one.
 * @param days the days since the last write
 * @param least the smallest margin, in numbers
 * @returns the margin, in numbers
 */
export const advanceRanges = async (tx: Reader, { days, least }: { days: number; least: number }): Promise<number> => {
  const margin = Math.max(least, days * leastMargin);
  await sql`
    update workstreams set last_number = last_number + ${margin}::bigint,
      granted_through = case when adopting then granted_through else last_number + ${margin}::bigint end`.execute(tx);
  return margin;
};

/**
 * Begins adoption into workstreams that adopt according to the identifier service. Workstreams whose adoption has ended
 * for good, or that have a grant, stay as they are.
 */
export const beginAdopting = async (
  tx: Reader,
  workspaceId: string,
  workstreams: readonly WorkstreamState[],
): Promise<void> => {
  await sql`
    insert into workstreams as own (workspace_id, id, version, name, prefix, adopting)
    select ${workspaceId}, id, version, name, prefix, true
    from json_to_recordset(${JSON.stringify(workstreams)}) as adopting (id uuid, version integer, name text, prefix text)
    order by id
    on conflict (workspace_id, id) do update set adopting = true
    where not own.closed and own.adopted_through is null and own.granted_through = 0`.execute(tx);
};

/**
 * Ends the adoption of a workstream for good, and sets its counter to the last number that was adopted or is skipped.
 * The statement waits for running adoptions, which lock the same row. A repetition changes nothing. The first number
 * needs a grant.
 * @returns the last number that was adopted or is skipped; `opened: false` where the requested first number is not
 *   above it
 */
export const openRange = async (
  tx: Reader,
  { workspace_id, workstream, above, next_number }: z.output<typeof openRangeContract.request>,
): Promise<z.output<typeof openRangeContract.reply>> => {
  const { id, version, name, prefix } = workstream;
  const skippedThrough = next_number === null ? 0 : next_number - 1;
  const last = sql`greatest(own.last_number, ${above}::bigint, ${skippedThrough}::bigint)`;
  const { rows } = await sql<{ adopted_through: number }>`
    insert into workstreams as own (workspace_id, id, version, name, prefix, last_number, adopted_through)
    select ${workspace_id}::uuid, ${id}::uuid, ${version}::integer, ${name}, ${prefix}, last, last
    from (select greatest(${above}::bigint, ${skippedThrough}::bigint) as last) as first
    where ${next_number === null} or ${skippedThrough}::bigint >= ${above}::bigint
    on conflict (workspace_id, id) do update set
      adopting = false,
      last_number = case when own.adopted_through is null then ${last} else own.last_number end,
      adopted_through = coalesce(own.adopted_through, ${last})
    where own.adopted_through is not null or ${next_number === null} or ${skippedThrough}::bigint >= own.last_number
    returning adopted_through`.execute(tx);
  if (rows[0]) return { opened: true, last_number: rows[0].adopted_through };
  const range = await readRange(tx, workspace_id, id);
  return { opened: false, last_number: Math.max(range?.last_number ?? 0, above) };
};
