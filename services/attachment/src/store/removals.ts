import type { Reader, Tx } from './database.ts';

/** Notes that the bytes of a file must go. */
export const noteRemoval = async (tx: Tx, workspaceId: string, fileId: string, now: Date): Promise<void> => {
  await tx
    .insertInto('removals')
    .values({ workspace_id: workspaceId, file_id: fileId, created_at: now })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'file_id']).doUpdateSet({ created_at: now }))
    .execute();
};

/** A file whose bytes must go. */
export interface Removal {
  workspace_id: string;
  file_id: string;
  created_at: Date;
}

export const listRemovals = (tx: Reader, limit: number): Promise<Removal[]> =>
  tx.selectFrom('removals').selectAll().orderBy('created_at').limit(limit).execute();

/** The bytes are gone; a removal that was noted anew meanwhile stays. */
export const endRemoval = async (tx: Tx, { workspace_id, file_id, created_at }: Removal): Promise<void> => {
  await tx
    .deleteFrom('removals')
    .where('workspace_id', '=', workspace_id)
    .where('file_id', '=', file_id)
    .where('created_at', '=', created_at)
    .execute();
};
