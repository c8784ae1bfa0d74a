import { type Grant, mainPrefix } from '@cardinal/contracts';
import { isUniqueViolation } from '@cardinal/db';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

/** Reads a workstream's range; null is the workspace's default. Undefined where none was ever granted. */
export const readRange = (tx: Reader, workspaceId: string, id: string | null) => {
  const ranges = tx
    .selectFrom('workstreams')
    .select(['id', 'last_number', 'granted_through', 'epoch', 'closed'])
    .select(sql<number>`tableoid::bigint`.as('table'))
    .where('workspace_id', '=', workspaceId);
  return (id === null ? ranges.where('prefix', '=', mainPrefix) : ranges.where('id', '=', id)).executeTakeFirst();
};

/**
 * Writes a workstream's row that another transaction may insert at the same moment. Postgres resolves conflicts on the
 * primary key alone, and the two may conflict on the unique prefix first: then the other row exists, and the write is
 * repeated.
 */
export const writeRange = <T>(write: () => Promise<T>): Promise<T> =>
  write().catch((error) => {
    if (!isUniqueViolation(error, 'workstreams_one_prefix')) throw error;
    return write();
  });

/**
 * Applies a grant unless it came late: the range is closed or belongs to a later epoch, or a newer version of the
 * workstream is known. The first grant of an epoch begins above everything that was granted before (architecture,
 * "Lineage"). Within an epoch, a counter below the ledger's fell back unnoticed: it too continues above everything that
 * was granted.
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
      closed = excluded.closed
    where not own.closed
      and (own.epoch < ${epoch} or own.epoch = ${epoch} and own.version <= excluded.version)`.execute(tx);
};

/** Empties a range, so that the next number has to wait for a grant. */
export const emptyRange = async (tx: Reader, workspaceId: string, id: string): Promise<void> => {
  await tx
    .updateTable('workstreams')
    .set((row) => ({ granted_through: row.ref('last_number') }))
    .where(({ and }) => and({ workspace_id: workspaceId, id }))
    .execute();
};
