import type { Reader } from './database.ts';

/** Which end of a dependency a list is of: a card's own dependencies, or those of others on it. */
export type End = 'card_id' | 'depends_on_card_id';

/** The card at the other end of a listed dependency. */
export interface Neighbour {
  card_id: string;
  version: number;
  created_at: Date;
}

/**
 * Reads the dependencies at one end of which a card stands, oldest first.
 * @param after the version of the last one read before
 */
export const listEdges = (
  tx: Reader,
  workspaceId: string,
  { end, cardId, after, limit }: { end: End; cardId: string; after: number; limit: number },
): Promise<Neighbour[]> =>
  tx
    .selectFrom('edges')
    .select([end === 'card_id' ? 'depends_on_card_id as card_id' : 'card_id', 'version', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where(end, '=', cardId)
    .where('version', '>', after)
    .orderBy('version')
    .limit(limit)
    .execute();
