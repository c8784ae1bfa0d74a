import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { type Operation, toOperation } from './operation.ts';

/**
 * Operations begun before a moment, of every workspace, oldest first.
 * @param after the last one of the page before
 */
export const listOperations = async (
  tx: Reader,
  begunBefore: Date,
  limit: number,
  after?: Operation,
): Promise<Operation[]> => {
  const rows = await tx
    .selectFrom('operations')
    .selectAll()
    .where('created_at', '<', begunBefore)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after?.created_at}, ${after?.id}::uuid)`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toOperation);
};
