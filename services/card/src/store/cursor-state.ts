import type { CardCursor, CursorState } from '../domain/list-cursor.ts';
import type { Reader } from './database.ts';

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
  const columnId = cursor.column.id;
  const spot = ['id', 'position', 'version'] as const;
  const column = await tx
    .selectFrom('columns')
    .select(spot)
    .where('workspace_id', '=', workspaceId)
    .where('board_id', '=', boardId)
    .where('id', '=', columnId)
    .executeTakeFirst();
  const card = await tx
    .selectFrom('cards')
    .select(spot)
    .where('workspace_id', '=', workspaceId)
    .where('board_id', '=', boardId)
    .where('id', '=', cursor.card.id)
    .where('column_id', '=', columnId)
    .executeTakeFirst();
  return { column, card };
}
