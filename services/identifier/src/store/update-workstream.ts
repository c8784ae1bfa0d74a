import type { Workstream } from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import type { DB } from './tables.gen.ts';

const locked = (tx: Transaction<DB>, workspaceId: string, id: string) =>
  tx.updateTable('workstreams').where('workspace_id', '=', workspaceId).where('id', '=', id);

/** Writes what can change of a workstream; the caller holds its lock. Nobody changes one while it is being archived. */
export const updateWorkstream = async (
  tx: Transaction<DB>,
  workspaceId: string,
  { id, version, name, description, archived_at, updated_at }: Workstream,
): Promise<void> => {
  await locked(tx, workspaceId, id)
    .set({ version, name, description, archived_at, updated_at, closing: null })
    .execute();
};

/** Notes that a command is archiving a locked workstream, until `updateWorkstream` writes that it is archived. */
export const noteClosing = async (
  tx: Transaction<DB>,
  workspaceId: string,
  id: string,
  commandId: string,
): Promise<void> => {
  await locked(tx, workspaceId, id).set({ closing: commandId }).execute();
};

/** Extends the range of a locked workstream. */
export const extendRange = async (
  tx: Transaction<DB>,
  workspaceId: string,
  id: string,
  grantedThrough: number,
): Promise<void> => {
  await locked(tx, workspaceId, id).set({ granted_through: grantedThrough }).execute();
};
