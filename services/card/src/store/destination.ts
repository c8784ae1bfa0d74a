import type { MoveCardBody } from '@cardinal/contracts';
import { anchorOf } from '../domain/move.ts';
import { lockColumns } from '../positions/queries.ts';
import type { Tx } from './database.ts';

/**
 * Finds the column that a move goes to and locks it: the one that it names, else the one of the card that it names, else
 * the card's own. It runs before the card is locked, so what it found may have changed when the card is.
 */
export async function lockDestination(tx: Tx, workspaceId: string, cardId: string, body: MoveCardBody) {
  const columnId = body.column_id ?? (await columnOf(tx, workspaceId, anchorOf(body)?.id ?? cardId));
  if (columnId === undefined) return undefined;
  const [column] = await lockColumns(tx, workspaceId, [columnId]);
  return column;
}

const columnOf = async (tx: Tx, workspaceId: string, cardId: string) =>
  (await findPlace(tx, workspaceId, cardId))?.column_id;

/** Reads where a card stands. */
export const findPlace = (tx: Tx, workspaceId: string, cardId: string) =>
  tx
    .selectFrom('cards')
    .select(['board_id', 'column_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', cardId)
    .executeTakeFirst();
