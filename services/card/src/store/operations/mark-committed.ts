import { sql } from 'kysely';
import type { Tx } from '../database.ts';

/** Ends locked operations: the version that each made of its card, and when its number was assigned. */
export const markCommitted = async (
  tx: Tx,
  workspaceId: string,
  operations: readonly { id: string; cardVersion: number }[],
  assignedAt: Date,
): Promise<void> => {
  await sql`
    update operations
    set state = 'committed', card_version = done.card_version, assigned_at = ${assignedAt}::timestamptz
    from unnest(
      ${operations.map((operation) => operation.id)}::uuid[],
      ${operations.map((operation) => operation.cardVersion)}::integer[]
    ) as done (id, card_version)
    where operations.workspace_id = ${workspaceId} and operations.id = done.id`.execute(tx);
};
