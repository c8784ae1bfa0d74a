import { sql } from 'kysely';
import type { Edge } from '../domain/cycle.ts';
import type { Place } from '../domain/order.ts';
import type { Tx } from './database.ts';

/** The two ends of a dependency against the order: `dependsOn` stands behind `card`. */
export interface Contradiction {
  card: Place;
  dependsOn: Place;
}

/*
 * Both searches follow edges within the window that the two ends span and never look beyond it. The offsets keep Postgres
 * from joining whole tables: each card reached is looked up by its key.
 */

/** The card to be waited for and all that it depends on, up to the card that is to wait; that one is in it on a cycle. */
export const findNeeded = async (tx: Tx, workspaceId: string, { card, dependsOn }: Contradiction): Promise<Place[]> => {
  const { rows } = await sql<Place>`
    with recursive reached (id, position) as (
      select ${dependsOn.id}::uuid, ${dependsOn.position}::bigint
      union
      select next.id, next.position
      from reached
      cross join lateral (
        select depends_on_card_id from edges
        where workspace_id = ${workspaceId} and card_id = reached.id offset 0
      ) as edge
      cross join lateral (
        select id, position from cards
        where workspace_id = ${workspaceId} and id = edge.depends_on_card_id offset 0
      ) as next
      where next.position >= ${card.position}
    )
    select id, position from reached`.execute(tx);
  return rows;
};

/** The card that is to wait and all that depend on it, as far as they stand before the card to be waited for. */
export const findWaiting = async (
  tx: Tx,
  workspaceId: string,
  { card, dependsOn }: Contradiction,
): Promise<Place[]> => {
  const { rows } = await sql<Place>`
    with recursive reached (id, position) as (
      select ${card.id}::uuid, ${card.position}::bigint
      union
      select next.id, next.position
      from reached
      cross join lateral (
        select card_id from edges
        where workspace_id = ${workspaceId} and depends_on_card_id = reached.id offset 0
      ) as edge
      cross join lateral (
        select id, position from cards
        where workspace_id = ${workspaceId} and id = edge.card_id offset 0
      ) as next
      where next.position < ${dependsOn.position}
    )
    select id, position from reached`.execute(tx);
  return rows;
};

/** Every dependency between two of the cards. */
export const findEdgesAmong = async (tx: Tx, workspaceId: string, cardIds: string[]): Promise<Edge[]> =>
  tx
    .selectFrom('edges')
    .select(['card_id', 'depends_on_card_id'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`card_id = any (${cardIds}::uuid[])`)
    .where(sql<boolean>`depends_on_card_id = any (${cardIds}::uuid[])`)
    .execute();
