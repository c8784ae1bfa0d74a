import { sortKey } from '@cardinal/runtime';
import type { CardCursor, CursorState, Spot } from '../domain/list-cursor.ts';
import type { Reader } from './database.ts';

/** What a cursor keeps of something that has a position: enough to find it again after a rebalancing. */
export const spotKeys = [sortKey.id, sortKey.position, sortKey.count] as const;

const spot = ['id', 'position', 'version'] as const;

/** What has become of a column. Only on the board that is listed: somebody may make up a cursor. */
export const readColumnSpot = (
  tx: Reader,
  workspaceId: string,
  boardId: string,
  columnId: string,
): Promise<Spot | undefined> =>
  tx
    .selectFrom('columns')
    .select(spot)
    .where('workspace_id', '=', workspaceId)
    .where('board_id', '=', boardId)
    .where('id', '=', columnId)
    .executeTakeFirst();

/**
 * Reads what has become of the column and the card where a page of cards ended. Only on the board that is listed:
 * somebody may make up a cursor, and no answer may depend on a board that they do not see.
 */
export async function readCursorState(
  tx: Reader,
  workspaceId: string,
  boardId: string,
  cursor: CardCursor,
): Promise<CursorState> {
  const column = await readColumnSpot(tx, workspaceId, boardId, cursor.column.id);
  const card = await tx
    .selectFrom('cards')
    .select(spot)
    .where('workspace_id', '=', workspaceId)
    .where('board_id', '=', boardId)
    .where('id', '=', cursor.card.id)
    .where('column_id', '=', cursor.column.id)
    .executeTakeFirst();
  return { column, card };
}
