import { sql } from 'kysely';
import type { Tx } from './database.ts';

/**
 * Holds a card against its deletion until the transaction ends: its covers and links are inserted and swept away under
 * one lock.
 * @returns false where the card is gone
 */
export const lockLivingCard = async (tx: Tx, workspaceId: string, cardId: string): Promise<boolean> => {
  await lockCard(tx, cardId);
  const tombstone = await tx
    .selectFrom('deleted_cards')
    .select('card_id')
    .where('workspace_id', '=', workspaceId)
    .where('card_id', '=', cardId)
    .executeTakeFirst();
  return tombstone === undefined;
};

/** Puts a card's tombstone up and takes its cover and links away. */
export const buryCard = async (tx: Tx, workspaceId: string, cardId: string, now: Date): Promise<void> => {
  await lockCard(tx, cardId);
  await tx
    .insertInto('deleted_cards')
    .values({ workspace_id: workspaceId, card_id: cardId, deleted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  for (const table of ['covers', 'linked_files'] as const) {
    await tx.deleteFrom(table).where('workspace_id', '=', workspaceId).where('card_id', '=', cardId).execute();
  }
};

const lockCard = (tx: Tx, cardId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${cardId}, 0))`.execute(tx);
