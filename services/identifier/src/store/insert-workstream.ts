import type { Workstream } from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import type { DB } from './tables.gen.ts';

/**
 * Inserts a workstream unless its prefix was ever used in the workspace; waits for a racing insert of the same prefix.
 * @returns whether it was inserted
 */
export const insertWorkstream = async (
  tx: Transaction<DB>,
  workspaceId: string,
  { type: _, ...workstream }: Workstream,
): Promise<boolean> => {
  const inserted = await tx
    .insertInto('workstreams')
    .values({ workspace_id: workspaceId, ...workstream })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'prefix']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
};
