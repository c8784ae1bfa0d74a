import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { type Operation, toOperation } from './operation.ts';

/** What names an operation: its own id, its command's, or the card's that it is pending on. */
export type OperationKey = { id: string } | { commandId: string } | { pendingOnCard: string };

/**
 * The operation of that name, while it is under way. A writer asks for the one pending on a card after it took the
 * card's row lock: only a statement that starts then sees what the lock's last holder prepared.
 */
export const findOperation = async (
  tx: Reader,
  workspaceId: string,
  key: OperationKey,
): Promise<Operation | undefined> => {
  const operations = tx.selectFrom('operations').selectAll().where('workspace_id', '=', workspaceId);
  const row = await ('id' in key
    ? operations.where('id', '=', key.id)
    : 'commandId' in key
      ? operations.where('command_id', '=', key.commandId)
      : operations.where('card_id', '=', key.pendingOnCard).where('state', '=', 'pending')
  ).executeTakeFirst();
  return row && toOperation(row);
};

/** One of the operations that are pending on some cards, if there is any. */
export const findPendingOn = async (
  tx: Reader,
  workspaceId: string,
  cardIds: readonly string[],
): Promise<Operation | undefined> => {
  const row = await tx
    .selectFrom('operations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'pending')
    .where(sql<boolean>`card_id = any (${cardIds}::uuid[])`)
    .limit(1)
    .executeTakeFirst();
  return row && toOperation(row);
};
