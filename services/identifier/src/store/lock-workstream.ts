import type { Workstream } from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import type { DB } from './tables.gen.ts';
import { toWorkstream, workstreamColumns } from './workstream-row.ts';

/** A workstream whose row is locked. */
export interface LockedWorkstream {
  workstream: Workstream;
  granted_through: number;
  /** The command that is archiving it. */
  closing: string | null;
}

/** Reads one workstream and keeps writers and grants off it until the transaction ends. */
export const lockWorkstream = async (
  tx: Transaction<DB>,
  workspaceId: string,
  id: string,
): Promise<LockedWorkstream | undefined> => {
  const row = await tx
    .selectFrom('workstreams')
    .select([...workstreamColumns, 'granted_through', 'closing'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && { workstream: toWorkstream(row), granted_through: row.granted_through, closing: row.closing };
};
