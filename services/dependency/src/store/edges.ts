import type { Selectable } from 'kysely';
import type { Edge } from '../domain/cycle.ts';
import type { Tables, Tx } from './database.ts';

export type EdgeRow = Selectable<Tables['edges']>;

/** Deletes one dependency. @returns whether it was there */
export const deleteEdge = async (tx: Tx, workspaceId: string, edge: Edge): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('edges')
    .where('workspace_id', '=', workspaceId)
    .where('card_id', '=', edge.card_id)
    .where('depends_on_card_id', '=', edge.depends_on_card_id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
};

/** Deletes every dependency that a card is an end of. @returns them */
export const deleteEdgesOf = (tx: Tx, workspaceId: string, cardId: string): Promise<Edge[]> =>
  tx
    .deleteFrom('edges')
    .where('workspace_id', '=', workspaceId)
    .where((either) => either.or([either('card_id', '=', cardId), either('depends_on_card_id', '=', cardId)]))
    .returning(['card_id', 'depends_on_card_id'])
    .execute();
