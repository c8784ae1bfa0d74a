import { type Caller, type Card, card as cardSchema, requireFound } from '@cardinal/contracts';
import { resourceOf } from '@cardinal/db';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import { boardVisibleTo } from '../boards/queries.ts';
import { cards, type Reader, type RowOf, type Tx } from '../database.ts';
import { writableFields } from './fields.ts';

/** A card as it is stored, without what Postgres makes of it for searching, with what the projection says of its workstream. */
export type CardRow = Omit<RowOf<'cards'>, 'title_folded'> & {
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

/** The card as clients see it (CONTRACT 5.1). */
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

/**
 * Reads something on a card that the caller sees, with the card's board. Hidden and unknown take the same queries, so
 * timing does not differ.
 * @param found the row
 * @throws CardinalError `not_found`
 */
export const requireOnCard = async <Row extends { card_id: string }>(
  tx: Reader,
  what: string,
  caller: Caller,
  found: Row | undefined,
) => {
  const board = await findCardBoard(tx, caller, found?.card_id ?? NIL);
  return { row: requireFound(what, board && found), isBoardDeleted: board?.deleted_at != null };
};

/** Locks a card's row until the transaction ends, without a check of visibility. */
export const lockRow = (tx: Tx, workspace_id: string, id: string) =>
  tx
    .selectFrom('cards')
    .select('id')
    .where(({ and }) => and({ workspace_id, id }))
    .forUpdate()
    .executeTakeFirst();

/** A card under its row lock, with what its board says about writes. */
export type LockedCard = RowOf<'cards'> & CardRow & { board_deleted_at: Date | null };

/**
 * The same for a card on a board that the caller sees, which it reads. Reading what belongs to the card is a statement of
 * its own: one that waited for the lock would still see the former workstream.
 */
export const lockCard = async (tx: Tx, caller: Caller, id: string): Promise<LockedCard | undefined> => {
  await lockRow(tx, caller.workspace_id, id);
  return seenCard(tx, caller, id)
    .selectAll('cards')
    .select(['workstreams.name as workstream_name', 'workstreams.prefix as workstream_prefix'])
    .select('boards.deleted_at as board_deleted_at')
    .executeTakeFirst();
};

/**
 * Deletes a locked card and what belongs to it. Its dependencies leave tombstones, or a late update would bring them
 * back; they are locked in the order of `projectDependencies`.
 */
export const deleteCardRow = async (tx: Tx, card: LockedCard): Promise<void> => {
  const { workspace_id: workspaceId, id } = card;
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
  await cards.remove(tx, card);
};
