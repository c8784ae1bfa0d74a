import { type Caller, conflict, type MoveCardBody } from '@cardinal/contracts';
import { Outdated, type WriteRequest } from '@cardinal/service';
import { NIL } from 'uuid';
import { findBoard } from '../boards/queries.ts';
import { type ColumnRow, firstActiveColumn } from '../columns/columns.ts';
import type { ServiceContext } from '../context.ts';
import { cards, columns, type Tx } from '../database.ts';
import { firstPosition, positionAt } from '../positions/queries.ts';
import { anchorOf } from '../positions/rules.ts';
import type { LockedCard } from './queries.ts';
import { checkMove, placeOf } from './rules.ts';
import { type Changes, writeCard } from './write.ts';

/*
 * Columns are locked before cards, so a write finds its target column before it locks the card. Where card or column
 * changed between the two, the write is outdated and starts again.
 */

interface CardCommand extends WriteRequest, Caller {
  card_id: string;
}

/** Creates the operations that move and restore a card (CONTRACT 5.5, CONTRACT 5.6). */
export const cardMoves = (context: ServiceContext) => ({
  move: ({ body, ...request }: CardCommand & { body: MoveCardBody }) =>
    writeCard(
      context,
      request,
      'card.moved',
      (tx, card, column: ColumnRow | undefined) => move(tx, request, card, column, body),
      (tx) => lockDestination(tx, request.workspace_id, request.card_id, body),
    ),

  /**
   * Restores an archived card to its place, or, where its column is archived, to the start of the first active column
   * (CONTRACT 5.6). An active card stays as it is.
   */
  restore: (request: CardCommand) =>
    writeCard(
      context,
      request,
      'card.restored',
      (tx, card, target: RestoreTarget | undefined) => (card.archived_at ? restore(tx, card, target) : {}),
      (tx) => lockRestoreTarget(tx, request.workspace_id, request.card_id),
    ),
});

/**
 * Finds and locks the target column of a move: the column that the body names, else the column of the anchor card, else
 * the card's own column.
 */
const lockDestination = async (tx: Tx, workspaceId: string, cardId: string, body: MoveCardBody) => {
  const columnId =
    body.column_id ?? (await cards.find(tx, workspaceId, anchorOf(body, 'card')?.id ?? cardId))?.column_id;
  return columnId === undefined ? undefined : columns.lock(tx, workspaceId, columnId);
};

const move = async (
  tx: Tx,
  caller: Caller,
  card: LockedCard,
  column: ColumnRow | undefined,
  body: MoveCardBody,
): Promise<Changes> => {
  const workspaceId = card.workspace_id;
  const anchor = anchorOf(body, 'card');
  const anchorCard = anchor && (await cards.find(tx, workspaceId, anchor.id));
  if (body.column_id === undefined) {
    // The card whose column was locked is now in another column.
    const columnId = anchor ? anchorCard?.column_id : card.column_id;
    if (columnId !== column?.id) throw new Outdated();
  }
  // Hidden and unknown columns take the same queries, so their timing does not differ.
  const isOwnBoard = column?.board_id === card.board_id;
  const board = isOwnBoard ? undefined : await findBoard(tx, caller, column?.board_id ?? NIL);
  checkMove(body, { card, column, board, anchorCard });
  if (!column) return {};

  const list = { of: 'cards', workspaceId, parentId: column.id } as const;
  const current = card.column_id === column.id ? card.position : undefined;
  const position = await positionAt(tx, list, placeOf(body), { id: card.id, position: current });
  if (position === undefined) throw new Outdated();
  return position === current ? {} : { board_id: column.board_id, column_id: column.id, position };
};

/**
 * The column of an archived card, and the column to which it is restored; the latter is undefined where none is active.
 */
interface RestoreTarget {
  from: string;
  to: ColumnRow | undefined;
}

/**
 * Finds and locks the column to which a card is restored: its own, or the first active one where its own is archived.
 */
const lockRestoreTarget = async (tx: Tx, workspaceId: string, cardId: string): Promise<RestoreTarget | undefined> => {
  const card = await cards.find(tx, workspaceId, cardId);
  const own = card && (await columns.find(tx, workspaceId, card.column_id));
  if (!own) return undefined;
  const to = own.archived_at ? await firstActiveColumn(tx, workspaceId, own.board_id) : own;
  return { from: own.id, to: to && (await columns.lock(tx, workspaceId, to.id)) };
};

const restore = async (tx: Tx, card: LockedCard, target: RestoreTarget | undefined): Promise<Changes> => {
  // The card's column, or the state of a column, changed after it was read.
  if (!target || target.from !== card.column_id || target.to?.archived_at) throw new Outdated();
  if (!target.to) throw conflict('The board has no active column');
  if (target.to.id === card.column_id) return { archived_at: null };
  const list = { of: 'cards', workspaceId: card.workspace_id, parentId: target.to.id } as const;
  return { archived_at: null, column_id: target.to.id, position: await firstPosition(tx, list, card.id) };
};
