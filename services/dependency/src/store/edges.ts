import { type Selectable, sql } from 'kysely';
import type { Edge } from '../domain/cycle.ts';
import type { Tables, Tx } from './database.ts';

export type EdgeRow = Selectable<Tables['edges']>;

/** Reads those of the dependencies that are there. */
export const findEdges = (tx: Tx, workspaceId: string, edges: readonly Edge[]): Promise<EdgeRow[]> =>
  tx
    .selectFrom(
      sql<Edge>`unnest(
        ${edges.map((edge) => edge.card_id)}::uuid[],
        ${edges.map((edge) => edge.depends_on_card_id)}::uuid[]
      )`.as<'wanted'>(sql`wanted (card_id, depends_on_card_id)`),
    )
    // The offset keeps Postgres from passing every dependency of the workspace.
    .crossJoinLateral((one) =>
      one
        .selectFrom('edges')
        .selectAll('edges')
        .where('edges.workspace_id', '=', workspaceId)
        .whereRef('edges.card_id', '=', 'wanted.card_id')
        .whereRef('edges.depends_on_card_id', '=', 'wanted.depends_on_card_id')
        .offset(0)
        .as('edge'),
    )
    .selectAll('edge')
    .execute();

/** How many dependencies cards have, in a locked graph; those that have none are left out. */
export const countDependencies = async (
  tx: Tx,
  workspaceId: string,
  cardIds: string[],
): Promise<Map<string, number>> => {
  const rows = await tx
    .selectFrom('edges')
    .select((eb) => ['card_id', eb.fn.countAll<string>().as('count')])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`card_id = any (${cardIds}::uuid[])`)
    .groupBy('card_id')
    .execute();
  return new Map(rows.map(({ card_id, count }) => [card_id, Number(count)]));
};

/** Writes new dependencies. */
export const insertEdges = async (tx: Tx, rows: readonly EdgeRow[]): Promise<void> => {
  if (rows.length > 0) await tx.insertInto('edges').values(rows).execute();
};

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
