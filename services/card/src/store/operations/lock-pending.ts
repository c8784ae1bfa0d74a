import type { Tx } from '../database.ts';

/**
 * Locks operations, in the one order that keeps two commits from waiting for each other.
 * @returns the ids of those that are still pending
 */
export const lockPending = async (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await tx
    .selectFrom('operations')
    .select(['id', 'state'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Set(rows.filter((row) => row.state === 'pending').map((row) => row.id));
};
