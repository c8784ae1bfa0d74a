import type { Caller } from '@cardinal/contracts';
import { sql, type Updateable } from 'kysely';
import { type CardRow, cardsWithBoards } from './card-rows.ts';
import type { Tables, Tx } from './database.ts';
import { boardVisibleTo } from './visibility.ts';

/** A card under its row lock, with what its board says about writes. */
export type LockedCard = CardRow & { board_archived_at: Date | null; board_deleted_at: Date | null };

/** Columns of a card that a write sets. */
export type CardChanges = Omit<Updateable<Tables['cards']>, 'workspace_id' | 'id'>;

/** Locks a card's row until the transaction ends, whoever sees it. */
export const lockRow = (tx: Tx, workspaceId: string, id: string) =>
  tx
    .selectFrom('cards')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/**
 * The same for a card on a board that the caller sees, which it reads. Reading what belongs to the card is a statement of
 * its own: one that waited for the lock would still see the former workstream.
 */
export const lockCard = async (
  tx: Tx,
  { workspace_id, user_id }: Caller,
  id: string,
): Promise<LockedCard | undefined> => {
  await lockRow(tx, workspace_id, id);
  return cardsWithBoards(tx)
    .select(['boards.archived_at as board_archived_at', 'boards.deleted_at as board_deleted_at'])
    .where('cards.workspace_id', '=', workspace_id)
    .where('cards.id', '=', id)
    .where(boardVisibleTo(user_id))
    .executeTakeFirst();
};

/** Sets columns of a locked card. */
export const updateCard = async (tx: Tx, workspaceId: string, id: string, changes: CardChanges): Promise<void> => {
  // The driver writes a Date in this machine's time zone, without the seconds that its offset had in former centuries.
  const texts = Object.entries(changes).map(([column, value]) => [
    column,
    value instanceof Date ? value.toJSON() : value,
  ]);
  const set: CardChanges = Object.fromEntries(texts);
  await tx.updateTable('cards').set(set).where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
};

/** Deletes a locked card and what hangs on it; its dependencies in the order in which `projectDependencies` locks them. */
export const deleteCardRow = async (tx: Tx, workspaceId: string, id: string): Promise<void> => {
  await sql`
    with doomed as materialized (
      select card_id, depends_on_card_id from card_dependencies
      where workspace_id = ${workspaceId} and (card_id = ${id} or depends_on_card_id = ${id})
      order by card_id, depends_on_card_id
      for update
    )
    delete from card_dependencies as own using doomed
    where own.workspace_id = ${workspaceId}
      and own.card_id = doomed.card_id and own.depends_on_card_id = doomed.depends_on_card_id`.execute(tx);
  await tx.deleteFrom('cards').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
};
