import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '../database.ts';
import type { CardPosition, Edge } from './rules.ts';

/**
 * Locks a workspace's graph until the transaction ends. Whatever belongs to it is read in a later statement: one that
 * waited for the lock would see the rest as it was when it began.
 * @returns the number of the last change to it
 */
export const lockWorkspace = async (tx: Tx, id: string): Promise<number> => {
  const lock = () =>
    tx
      .selectFrom('workspaces')
      .select('last_change')
      .where('workspace_id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
  const found = await lock();
  if (found) return found.last_change;
  await tx
    .insertInto('workspaces')
    .values({ workspace_id: id })
    .onConflict((on) => on.doNothing())
    .execute();
  return (await lock())?.last_change ?? 0;
};

/** Writes the number of a locked workspace's last change. */
export const setLastChange = async (tx: Tx, id: string, lastChange: number): Promise<void> => {
  await tx.updateTable('workspaces').set({ last_change: lastChange }).where('workspace_id', '=', id).execute();
};

/** Those of the cards that have a tombstone. */
export const findTombstones = async (tx: Reader, workspaceId: string, ids: string[]): Promise<string[]> => {
  const rows = await tx
    .selectFrom('cards')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .where('deleted_at', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
};

/** Writes the tombstones of deleted cards; their positions are free again. @returns those that had none */
export const insertTombstones = async (
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  deletedAt: Date,
): Promise<string[]> => {
  const rows = await tx
    .insertInto('cards')
    .values(ids.map((id) => ({ workspace_id: workspaceId, id, position: null, deleted_at: deletedAt })))
    .onConflict((on) =>
      on
        .columns(['workspace_id', 'id'])
        .doUpdateSet({ position: null, deleted_at: deletedAt })
        .where('cards.deleted_at', 'is', null),
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
};

/** Whether both ends are in the order: only such cards ever had a dependency, and none of them is deleted. */
export const areOrdered = async (tx: Tx, workspaceId: string, edge: Edge): Promise<boolean> => {
  const rows = await tx
    .selectFrom('cards')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`id = any (${[edge.card_id, edge.depends_on_card_id]}::uuid[])`)
    .where('position', 'is not', null)
    .execute();
  return rows.length === 2;
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

/** Deletes every dependency that one of the cards is an end of. @returns them */
export const deleteEdgesOf = (tx: Tx, workspaceId: string, cardIds: string[]): Promise<Edge[]> =>
  tx
    .deleteFrom('edges')
    .where('workspace_id', '=', workspaceId)
    .where(({ or }) =>
      or([
        sql<boolean>`card_id = any (${cardIds}::uuid[])`,
        sql<boolean>`depends_on_card_id = any (${cardIds}::uuid[])`,
      ]),
    )
    .returning(['card_id', 'depends_on_card_id'])
    .execute();

/** Which end of a dependency a list is of: a card's own dependencies, or those of others on it. */
export type End = 'card_id' | 'depends_on_card_id';

/**
 * Reads the dependencies at one end of which a card stands, oldest first, with the card at their other end.
 * @param after the version of the last one read before
 */
export const listEdges = (
  tx: Reader,
  workspaceId: string,
  { end, cardId, after, limit }: { end: End; cardId: string; after: number; limit: number },
) =>
  tx
    .selectFrom('edges')
    .select([end === 'card_id' ? 'depends_on_card_id as card_id' : 'card_id', 'version', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where(end, '=', cardId)
    .where('version', '>', after)
    .orderBy('version')
    .limit(limit)
    .execute();

/** The two ends of a dependency against the order: `dependsOn` stands behind `card`. */
export interface Inversion {
  card: CardPosition;
  dependsOn: CardPosition;
}

/**
 * Follows edges from a card, between the positions of the two ends and never beyond them. The offsets keep Postgres from
 * joining whole tables: each card reached is looked up by its key.
 * @param end of the edges at which the search stands; it goes on to the other one
 */
const reachedFrom = async (tx: Tx, workspaceId: string, start: CardPosition, end: End, within: RawBuilder<boolean>) => {
  const other = end === 'card_id' ? 'depends_on_card_id' : 'card_id';
  const { rows } = await sql<CardPosition>`
    with recursive reached (id, position) as (
      select ${start.id}::uuid, ${start.position}::bigint
      union
      select next.id, next.position
      from reached
      cross join lateral (
        select ${sql.ref(other)} as id from edges
        where workspace_id = ${workspaceId} and ${sql.ref(end)} = reached.id offset 0
      ) as edge
      cross join lateral (
        select id, position from cards
        where workspace_id = ${workspaceId} and id = edge.id offset 0
      ) as next
      where ${within}
    )
    select id, position from reached`.execute(tx);
  return rows;
};

/** The card to be waited for and all that it depends on, up to the card that is to wait; that one is in it on a cycle. */
export const findDependencies = (tx: Tx, workspaceId: string, { card, dependsOn }: Inversion) =>
  reachedFrom(tx, workspaceId, dependsOn, 'card_id', sql`next.position >= ${card.position}`);

/** The card that is to wait and all that depend on it, as far as they stand before the card to be waited for. */
export const findDependents = (tx: Tx, workspaceId: string, { card, dependsOn }: Inversion) =>
  reachedFrom(tx, workspaceId, card, 'depends_on_card_id', sql`next.position < ${dependsOn.position}`);

/** Every dependency between two of the cards. */
export const findEdgesAmong = (tx: Tx, workspaceId: string, cardIds: string[]): Promise<Edge[]> =>
  tx
    .selectFrom('edges')
    .select(['card_id', 'depends_on_card_id'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`card_id = any (${cardIds}::uuid[])`)
    .where(sql<boolean>`depends_on_card_id = any (${cardIds}::uuid[])`)
    .execute();
