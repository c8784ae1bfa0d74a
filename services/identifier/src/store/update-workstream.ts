import type { Workstream } from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import type { DB } from './tables.gen.ts';

/** Writes what can change of a workstream; the caller holds its lock. */
export const updateWorkstream = async (
  tx: Transaction<DB>,
  workspaceId: string,
  { id, version, name, description, archived_at, updated_at }: Workstream,
): Promise<void> => {
  await tx
    .updateTable('workstreams')
    .set({ version, name, description, archived_at, updated_at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
};
