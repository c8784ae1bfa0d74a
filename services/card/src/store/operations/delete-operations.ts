import type { Reader, Tx } from '../database.ts';

/** Forgets operations whose numbers the identifier service has confirmed. */
export const deleteConfirmed = async (tx: Reader, workspaceId: string, ids: readonly string[]): Promise<void> => {
  await tx
    .deleteFrom('operations')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .where('state', '=', 'committed')
    .execute();
};

/**
 * Forgets an operation that got no number.
 * @returns whether it was still there to forget, so that its command is released once
 */
export const deleteRefused = async (tx: Tx, workspaceId: string, id: string): Promise<boolean> => {
  const deleted = await tx
    .deleteFrom('operations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
};
