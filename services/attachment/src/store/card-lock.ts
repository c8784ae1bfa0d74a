import { sql } from 'kysely';
import type { Tx } from './database.ts';

/**
 * Holds a card, and a subtask of it, against deletion until the transaction ends: covers and links are inserted and
 * swept away under one lock.
 * @returns false where one of them is gone
 */
export const lockLiving = async (
  tx: Tx,
  workspaceId: string,
  { cardId, subtaskId }: { cardId: string; subtaskId?: string },
): Promise<boolean> => {
  await lockCard(tx, cardId);
  const tombstone = await tx
    .selectFrom('tombstones')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', subtaskId ? [cardId, subtaskId] : [cardId])
    .executeTakeFirst();
  return tombstone === undefined;
};

/** Puts a card's tombstone up and takes its cover and links away. */
export const buryCard = async (tx: Tx, workspaceId: string, cardId: string, now: Date): Promise<void> => {
  await lockCard(tx, cardId);
  await putTombstone(tx, workspaceId, cardId, now);
  for (const table of ['covers', 'linked_files'] as const) {
    await tx.deleteFrom(table).where('workspace_id', '=', workspaceId).where('card_id', '=', cardId).execute();
  }
};

/** Puts a subtask's tombstone up and takes its link away. */
export const burySubtask = async (
  tx: Tx,
  workspaceId: string,
  { cardId, subtaskId }: { cardId: string; subtaskId: string },
  now: Date,
): Promise<void> => {
  await lockCard(tx, cardId);
  await putTombstone(tx, workspaceId, subtaskId, now);
  await tx
    .deleteFrom('linked_files')
    .where('workspace_id', '=', workspaceId)
    .where('subtask_id', '=', subtaskId)
    .execute();
};

const lockCard = (tx: Tx, cardId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${cardId}, 0))`.execute(tx);

const putTombstone = (tx: Tx, workspaceId: string, id: string, now: Date) =>
  tx
    .insertInto('tombstones')
    .values({ workspace_id: workspaceId, id, deleted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
