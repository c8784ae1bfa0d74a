import { sortKey } from '@cardinal/runtime';
import type { Spot } from '../domain/list-cursor.ts';
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
