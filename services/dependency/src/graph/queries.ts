import { dependencyChanged } from '@cardinal/contracts';
import { newInternalEvent } from '@cardinal/db';
import { type RawBuilder, sql } from 'kysely';
import { MAX, NIL } from 'uuid';
import type { Reader, Tx } from '../context.ts';
import type { CardPosition, Edge } from './rules.ts';

/**
 * Makes the internal event that a dependency exists, or no longer exists. Its version is the number of the workspace's
 * change.
 * @param requestId the id of the request that made the change; the current request by default
 */
export const changeEvent = (
  workspaceId: string,
  { card_id, depends_on_card_id, exists, version }: Edge & { exists: boolean; version: number },
  now: Date,
  requestId?: string,
) =>
  newInternalEvent(dependencyChanged, {
    workspaceId,
    aggregate: { id: card_id, version },
    data: { card_id, depends_on_card_id, exists },
    now,
    requestId,
  });

/**
 * Locks a workspace's graph until the transaction ends. Read the graph in a later statement: a statement that waited
 * for the lock would read the former state.
 * @returns the number of the workspace's last change
 */
export const lockWorkspace = async (tx: Tx, workspace_id: string): Promise<number> => {
  const workspace = tx.selectFrom('workspaces').select('last_change').where('workspace_id', '=', workspace_id);
  const lock = () => workspace.forNoKeyUpdate().executeTakeFirst();
  const found = await lock();
  if (found) return found.last_change;
  const made = tx.insertInto('workspaces').values({ workspace_id });
  await made.onConflict((on) => on.doNothing()).execute();
  return (await lock())?.last_change ?? 0;
};

/** Stores the number of the last change of a locked workspace. */
export const setLastChange = async (tx: Tx, id: string, lastChange: number): Promise<void> => {
  await tx.updateTable('workspaces').set({ last_change: lastChange }).where('workspace_id', '=', id).execute();
};

const cardsOf = (tx: Reader, workspaceId: string, ids: readonly string[]) => {
  const cards = tx.selectFrom('cards').select('id').where('workspace_id', '=', workspaceId);
  return cards.where(sql<boolean>`id = any (${ids}::uuid[])`);
};

/** Finds those of the cards that have a tombstone. @returns their ids */
export const findTombstones = async (tx: Reader, workspaceId: string, ids: string[]): Promise<string[]> => {
  const rows = await cardsOf(tx, workspaceId, ids).where('deleted_at', 'is not', null).execute();
  return rows.map(({ id }) => id);
};

/** Lists cards by id that have or had dependencies, and tombstones. @param after the last id of the previous page */
export const listCards = (tx: Reader, workspaceId: string, after: string | null, limit: number) => {
  const cards = tx.selectFrom('cards').select(['id', 'deleted_at']).where('workspace_id', '=', workspaceId);
  return cards
    .where('id', '>', after ?? NIL)
    .orderBy('id')
    .limit(limit)
    .execute();
};

/** Removes tombstones of cards that exist again after a rollback of the card service's database. */
export const removeTombstones = async (tx: Reader, workspaceId: string, ids: readonly string[]): Promise<void> => {
  const tombstones = tx.deleteFrom('cards').where('workspace_id', '=', workspaceId).where('deleted_at', 'is not', null);
  await tombstones.where(sql<boolean>`id = any (${ids}::uuid[])`).execute();
};

/**
 * Checks whether both cards have a position. Only cards that ever had a dependency have one, and deleted cards do not.
 */
export const areOrdered = async (tx: Tx, workspaceId: string, edge: Edge): Promise<boolean> => {
  const ends = cardsOf(tx, workspaceId, [edge.card_id, edge.depends_on_card_id]);
  return (await ends.where('position', 'is not', null).execute()).length === 2;
};

/**
 * Inserts the tombstones of deleted cards, which lose their positions.
 * @returns the ids of the cards that had no tombstone
 */
export const insertTombstones = async (tx: Tx, workspace_id: string, ids: readonly string[], deleted_at: Date) => {
  const deleted = { position: null, deleted_at };
  const rows = await tx
    .insertInto('cards')
    .values(ids.map((id) => ({ workspace_id, id, ...deleted })))
    .onConflict((on) => on.columns(['workspace_id', 'id']).doUpdateSet(deleted).where('cards.deleted_at', 'is', null))
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
};

/** Deletes a dependency. @returns whether it existed */
export const deleteEdge = async (tx: Tx, workspace_id: string, { card_id, depends_on_card_id }: Edge) => {
  const edge = tx.deleteFrom('edges').where(({ and }) => and({ workspace_id, card_id, depends_on_card_id }));
  return (await edge.executeTakeFirst()).numDeletedRows > 0n;
};

/** Deletes all dependencies that have one of the cards at either end. @returns the deleted dependencies */
export const deleteEdgesOf = (tx: Tx, workspaceId: string, cardIds: string[]): Promise<Edge[]> =>
  tx
    .deleteFrom('edges')
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`(card_id = any (${cardIds}::uuid[]) or depends_on_card_id = any (${cardIds}::uuid[]))`)
    .returning(['card_id', 'depends_on_card_id'])
    .execute();

/** The end of an edge at which a card is: `card_id` for its dependencies, `depends_on_card_id` for its dependents. */
export type End = 'card_id' | 'depends_on_card_id';

/**
 * Lists the edges of a card at one end, oldest first, with the card at the other end.
 * @param after the version of the last edge of the previous page
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

const positionOf = (workspaceId: string, id: string) =>
  sql`(select position from cards where workspace_id = ${workspaceId} and id = ${id})`;

/**
 * Finds the cards that edges connect to a card, within a range of positions. The offsets are optimizer fences: Postgres
 * looks up each card by its key and does not join whole tables.
 * @param end the end of the edges at which the search begins; it continues at the other end
 * @param within the right side of a comparison with a position
 */
const reachedFrom = async (tx: Tx, workspaceId: string, start: string, end: End, within: RawBuilder<unknown>) => {
  const other = end === 'card_id' ? 'depends_on_card_id' : 'card_id';
  const { rows } = await sql<CardPosition>`
    with recursive reached (id, position) as (
      select id, position from cards where workspace_id = ${workspaceId} and id = ${start} and position ${within}
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
      where next.position ${within}
    )
    select id, position from reached`.execute(tx);
  return rows;
};

/**
 * Finds the new dependency's card and its dependencies, as far as they come after the dependent card. On a cycle, the
 * dependent card is among them.
 * @returns no card where the new dependency agrees with the order
 */
export const findDependencies = (tx: Tx, workspaceId: string, { card_id, depends_on_card_id }: Edge) =>
  reachedFrom(tx, workspaceId, depends_on_card_id, 'card_id', sql`>= ${positionOf(workspaceId, card_id)}`);

/** Finds the dependent card and its dependents, as far as they come before the new dependency's card. */
export const findDependents = (tx: Tx, workspaceId: string, { card_id, depends_on_card_id }: Edge) =>
  reachedFrom(tx, workspaceId, card_id, 'depends_on_card_id', sql`< ${positionOf(workspaceId, depends_on_card_id)}`);

/**
 * Sets the positions of cards. This counts as a change of the graph, so that no statement uses positions that it read
 * before.
 */
export const setPositions = async (tx: Tx, workspaceId: string, positions: readonly CardPosition[]): Promise<void> => {
  await sql`
    with changed as (update workspaces set last_change = last_change + 1 where workspace_id = ${workspaceId})
    insert into cards (workspace_id, id, position)
    select ${workspaceId}::uuid, id, position
    from json_to_recordset(${JSON.stringify(positions)}) as card (id uuid, position bigint)
    on conflict (workspace_id, id) do update set position = excluded.position`.execute(tx);
};

/** Finds all dependencies between the given cards. */
export const findEdgesAmong = (tx: Tx, workspaceId: string, cardIds: string[]): Promise<Edge[]> =>
  tx
    .selectFrom('edges')
    .select(['card_id', 'depends_on_card_id'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`card_id = any (${cardIds}::uuid[])`)
    .where(sql<boolean>`depends_on_card_id = any (${cardIds}::uuid[])`)
    .execute();

/** Edges per page of {@link readEdgesAfter}. */
const edgesAtOnce = 1_000;

/**
 * Reads a page of a workspace's dependencies by their ends, with the number of its last change.
 * @param range dependencies after `after` and up to `through`; null means from the first, or to the last
 * @returns `next`: the last dependency of the page where there may be more; null at the end
 */
export const readEdgesAfter = async (
  tx: Reader,
  workspaceId: string,
  { after, through }: { after: Edge | null; through: Edge | null },
) => {
  const { rows } = await sql<{ edges: (Edge & { version: number })[]; last_change: number }>`
    select coalesce((select last_change from workspaces where workspace_id = ${workspaceId}), 0) as last_change,
      coalesce((
        select json_agg(edge) from (
          select card_id, depends_on_card_id, version from edges
          where workspace_id = ${workspaceId}
            and (card_id, depends_on_card_id) > (${after?.card_id ?? NIL}::uuid, ${after?.depends_on_card_id ?? NIL}::uuid)
            and (card_id, depends_on_card_id) <= (${through?.card_id ?? MAX}::uuid, ${through?.depends_on_card_id ?? MAX}::uuid)
          order by card_id, depends_on_card_id limit ${edgesAtOnce}
        ) as edge), '[]') as edges`.execute(tx);
  const { edges = [], last_change = 0 } = rows[0] ?? {};
  const end = edges.length < edgesAtOnce ? undefined : edges.at(-1);
  const next = end ? { card_id: end.card_id, depends_on_card_id: end.depends_on_card_id } : null;
  return { edges, last_change, next };
};
