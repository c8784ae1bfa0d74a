import { type Caller, type Card, card as cardSchema } from '@cardinal/contracts';
import { resourceOf } from '@cardinal/db';
import { type Selectable, sql, type Updateable } from 'kysely';
import { boardVisibleTo } from '../boards/queries.ts';
import type { Reader, Tables, Tx } from '../database.ts';
import { writableFields } from './fields.ts';

/** A card as it is stored, without what Postgres makes of it for searching, with what the projection says of its workstream. */
export type CardRow = Omit<Selectable<Tables['cards']>, 'title_folded'> & {
  workstream_name: string;
  workstream_prefix: string;
};

/** The select list of a `CardRow`, for a query from `cards` joined with `workstreams`. */
export const cardColumns = [
  'cards.workspace_id',
  'cards.id',
  'cards.version',
  'cards.board_id',
  'cards.column_id',
  'cards.position',
  ...writableFields.map(({ name }) => `cards.${name}` as const),
  'cards.completed_at',
  'cards.archived_at',
  'cards.created_by',
  'cards.created_at',
  'cards.updated_at',
  'cards.assignee_user_ids',
  'cards.label_ids',
  'cards.subtask_total',
  'cards.subtask_completed',
  'cards.comment_count',
  'cards.workstream_id',
  'cards.identifier',
  'workstreams.name as workstream_name',
  'workstreams.prefix as workstream_prefix',
] as const;

const present = resourceOf(cardSchema);

/** The card as clients see it (specification, "Card"). */
export const toCard = (row: CardRow): Card =>
  present({ ...row, workstream: { id: row.workstream_id, name: row.workstream_name, prefix: row.workstream_prefix } });

/** A card with its workstream and its board, a deleted board too, if the caller sees that. */
const seenCard = (tx: Reader, { workspace_id, user_id }: Caller, id: string) =>
  tx
    .selectFrom('cards')
    .innerJoin('workstreams', (join) =>
      join
        .onRef('workstreams.workspace_id', '=', 'cards.workspace_id')
        .onRef('workstreams.id', '=', 'cards.workstream_id'),
    )
    .innerJoin('boards', (join) =>
      join.onRef('boards.workspace_id', '=', 'cards.workspace_id').onRef('boards.id', '=', 'cards.board_id'),
    )
    .where('cards.workspace_id', '=', workspace_id)
    .where('cards.id', '=', id)
    .where(boardVisibleTo(user_id));

/** Says of a card whether its board is deleted; undefined where the caller does not see it. */
export const findCardBoard = (tx: Reader, caller: Caller, id: string) =>
  seenCard(tx, caller, id).select('boards.deleted_at').executeTakeFirst();

/** Locks a card's row until the transaction ends, whoever sees it. */
export const lockRow = (tx: Tx, workspace_id: string, id: string) =>
  tx
    .selectFrom('cards')
    .select('id')
    .where(({ and }) => and({ workspace_id, id }))
    .forUpdate()
    .executeTakeFirst();

/** A card under its row lock, with what its board says about writes. */
export type LockedCard = CardRow & { board_archived_at: Date | null; board_deleted_at: Date | null };

/**
 * The same for a card on a board that the caller sees, which it reads. Reading what belongs to the card is a statement of
 * its own: one that waited for the lock would still see the former workstream.
 */
export const lockCard = async (tx: Tx, caller: Caller, id: string): Promise<LockedCard | undefined> => {
  await lockRow(tx, caller.workspace_id, id);
  return seenCard(tx, caller, id)
    .select(cardColumns)
    .select(['boards.archived_at as board_archived_at', 'boards.deleted_at as board_deleted_at'])
    .executeTakeFirst();
};

/** Columns of a card that a write sets. */
export type CardChanges = Omit<Updateable<Tables['cards']>, 'workspace_id' | 'id'>;

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

/**
 * Deletes a locked card and what hangs on it. Its dependencies leave tombstones, or a word on one that comes late would
 * bring it back; they are locked in the order of `projectDependencies`.
 */
export const deleteCardRow = async (tx: Tx, workspaceId: string, id: string): Promise<void> => {
  await sql`
    with doomed as materialized (
      select card_id, depends_on_card_id from card_dependencies
      where workspace_id = ${workspaceId} and (card_id = ${id} or depends_on_card_id = ${id}) and present
      order by card_id, depends_on_card_id
      for update
    )
    update card_dependencies as own set present = false from doomed
    where own.workspace_id = ${workspaceId}
      and own.card_id = doomed.card_id and own.depends_on_card_id = doomed.depends_on_card_id`.execute(tx);
  await tx.deleteFrom('cards').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
};
