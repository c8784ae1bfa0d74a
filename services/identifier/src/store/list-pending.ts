import type { Kysely } from 'kysely';
import type { DB } from './tables.gen.ts';

/** A number whose operation was not confirmed yet. */
export interface PendingNumber {
  workspace_id: string;
  operation_id: string;
  created_at: Date;
}

/**
 * Pending numbers of all workspaces, oldest first.
 * @param before only those given out earlier than this
 * @param after goes on behind this one
 */
export const listPending = async (
  tx: Kysely<DB>,
  { before, after, limit }: { before: Date; after: PendingNumber | undefined; limit: number },
): Promise<PendingNumber[]> => {
  let query = tx
    .selectFrom('identifiers')
    .select(['workspace_id', 'operation_id', 'created_at'])
    .where('state', '=', 'pending')
    .where('created_at', '<', before);
  if (after) {
    query = query.where((where) =>
      where(where.refTuple('created_at', 'operation_id'), '>', where.tuple(after.created_at, after.operation_id)),
    );
  }
  return query.orderBy('created_at').orderBy('operation_id').limit(limit).execute();
};
