import { type Caller, type Card, card as cardSchema, requireFound } from '@cardinal/contracts';
import { resourceOf } from '@cardinal/db';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import { boardVisibleTo } from '../boards/queries.ts';
import { cards, type Reader, type RowOf, type Tx } from '../database.ts';
import { writableFields } from './fields.ts';

/**
 * The row of a card without the generated search column, with the name and the prefix of its workstream from the
 * projection.
 */
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

/**
 * Makes SQL that joins the row of `table` whose id is in a column of `from`. OFFSET 0 is an optimizer fence: the row is
 * found by its key. Without it, a plan from the time when workspaces had few rows, or one for workspaces that are small
 * on average, reads all rows of the workspace.
 */
export const joinByKey = (table: 'boards' | 'workstreams', from: string, column: string) =>
  `cross join lateral (select * from ${table}
    where ${table}.workspace_id = ${from}.workspace_id and ${table}.id = ${from}.${column} offset 0) as ${table}`;

/**
 * A condition on the rows `asked` of a batch that all of them meet. Postgres takes it to leave one row, and so finds rows
 * by their keys; of a hundred, it would rather read all rows of a small table, or of a workspace of average size.
 */
export const assumedFew = 'where seq between 0 and 1000000';

/**
 * Makes SQL that locks rows in the order of their ids. The lock is also an optimizer fence: each row is found by its
 * key.
 * @param ids a query of ids, as `id`, each once
 * @param row the query of the row whose id is `ids.id`, with its lock
 */
export const lockByKey = (ids: string, row: string) => `select locked.*
  from (${ids} order by id) as ids
  cross join lateral (
    ${row}
  ) as locked`;

const present = resourceOf(cardSchema);

/** Makes the card of an answer (CONTRACT 5.1). */
export const toCard = (row: CardRow): Card =>
  present({ ...row, workstream: { id: row.workstream_id, name: row.workstream_name, prefix: row.workstream_prefix } });

/** Selects a card with its workstream and its board, if the caller sees the board. The board may be deleted. */
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

/** Reads when a card's board was deleted. @returns undefined where the caller does not see the card */
export const findCardBoard = (tx: Reader, caller: Caller, id: string) =>
  seenCard(tx, caller, id).select('boards.deleted_at').executeTakeFirst();

/**
 * Checks that the caller sees the card of a row, such as a comment. Hidden and unknown rows take the same queries, so
 * their timing does not differ.
 * @param what the kind of the row, for the error
 * @param found the row; undefined where it is unknown
 * @returns the row, and whether the card's board is deleted
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

/** Locks a card's row until the transaction ends. It does not check visibility. */
export const lockRow = (tx: Tx, workspace_id: string, id: string) =>
  tx
    .selectFrom('cards')
    .select('id')
    .where(({ and }) => and({ workspace_id, id }))
    .forUpdate()
    .executeTakeFirst();

/** A locked card, with the time at which its board was deleted. */
export type LockedCard = RowOf<'cards'> & CardRow & { board_deleted_at: Date | null };

/**
 * Locks a card, then reads it in a second statement. A statement that waited for the lock would read the former
 * workstream.
 * @returns undefined where the caller does not see the card
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
 * Deletes a locked card and its parts. Its dependencies leave tombstones, so that a late update does not restore them.
 * They are locked in the order of `projectDependencies`.
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
