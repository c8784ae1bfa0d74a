import type { Transaction } from '@cardinal/db';
import type { DB } from './tables.gen.ts';

/**
 * Forgets refusals made before a moment.
 * @returns how many
 */
export const purgeRefusals = async (tx: Transaction<DB>, olderThan: Date): Promise<number> => {
  const { numDeletedRows } = await tx.deleteFrom('refusals').where('created_at', '<', olderThan).executeTakeFirst();
  return Number(numDeletedRows);
};
