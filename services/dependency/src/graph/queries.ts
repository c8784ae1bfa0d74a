import { dependencyChanged } from '@cardinal/contracts';
import { newInternalEvent } from '@cardinal/db';
import { type RawBuilder, sql } from 'kysely';
import { MAX, NIL } from 'uuid';
import type { Reader, Tx } from '../context.ts';
import type { CardPosition, Edge } from './rules.ts';

/**
 * Makes the internal event that a dependency exists or does not, as of the workspace's change of that number.
 * @param requestId of the request that made the change; by default the current one
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
 * Locks a workspace's graph until the transaction ends. Read the graph in a later statement: one that waited for the
 * lock would see the state before it.
 * @returns the number of the last change
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

/** Writes the number of a locked workspace's last change. */
export const setLastChange = async (tx: Tx, id: string, lastChange: number): Promise<void> => {
  await tx.updateTable('workspaces').set({ last_change: lastChange }).where('workspace_id', '=', id).execute();
};

const cardsOf = (tx: Reader, workspaceId: string, ids: readonly string[]) => {
  const cards = tx.selectFrom('cards').select('id').where('workspace_id', '=', workspaceId);
  return cards.where(sql<boolean>`id = any (${ids}::uuid[])`);
};

/** Reads which of the cards have a tombstone. */
export const findTombstones = async (tx: Reader, workspaceId: string, ids: string[]): Promise<string[]> => {
  const rows = await cardsOf(tx, workspaceId, ids).where('deleted_at', 'is not', null).execute();
  return rows.map(({ id }) => id);
};

/** Reads cards that have or had dependencies, and tombstones, by id. @param after the last id of the previous page */
export const listCards = (tx: Reader, workspaceId: string, after: string | null, limit: number) => {
  const cards = tx.selectFrom('cards').select(['id', 'deleted_at']).where('workspace_id', '=', workspaceId);
  return cards
    .where('id', '>', after ?? NIL)
    .orderBy('id')
    .limit(limit)
    .execute();
};

/** Removes tombstones of cards that exist: the database that had deleted them was rolled back. */
export const removeTombstones = async (tx: Reader, workspaceId: string, ids: readonly string[]): Promise<void> => {
  const tombstones = tx.deleteFrom('cards').where('workspace_id', '=', workspaceId).where('deleted_at', 'is not', null);
  await tombstones.where(sql<boolean>`id = any (${ids}::uuid[])`).execute();
};

/** Whether both ends have a position: only such cards ever had a dependency, and none of them is deleted. */
export const areOrdered = async (tx: Tx, workspaceId: string, edge: Edge): Promise<boolean> => {
  const ends = cardsOf(tx, workspaceId, [edge.card_id, edge.depends_on_card_id]);
  return (await ends.where('position', 'is not', null).execute()).length === 2;
};

/** Writes the tombstones of deleted cards, which frees their positions. @returns those that had none */
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

/** Deletes one dependency. @returns whether it existed */
export const deleteEdge = async (tx: Tx, workspace_id: string, { card_id, depends_on_card_id }: Edge) => {
  const edge = tx.deleteFrom('edges').where(({ and }) => and({ workspace_id, card_id, depends_on_card_id }));
  return (await edge.executeTakeFirst()).numDeletedRows > 0n;
};

/** Deletes all dependencies of the cards, at either end. @returns them */
export const deleteEdgesOf = (tx: Tx, workspaceId: string, cardIds: string[]): Promise<Edge[]> =>
  tx
    .deleteFrom('edges')
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`(card_id = any (${cardIds}::uuid[]) or depends_on_card_id = any (${cardIds}::uuid[]))`)
    .returning(['card_id', 'depends_on_card_id'])
    .execute();

/** The end at which a list's card stands: its own dependencies, or those of others on it. */
export type End = 'card_id' | 'depends_on_card_id';

/**
 * Reads the dependencies with a card at one end, oldest first, with the card at the other end.
 * @param after the version of the last one of the previous page
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
 * Follows edges from a card, within positions and never beyond them. The offsets keep Postgres from joining whole
 * tables: it looks up each reached card by its key.
 * @param end the end of edges at which the search stands; it continues at the other end
 * @param within a comparison, whose left side is a position
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
 * Reads the card to depend on and its dependencies, up to the dependent card, which is among them on a cycle. Empty
 * where the order agrees.
 */
export const findDependencies = (tx: Tx, workspaceId: string, { card_id, depends_on_card_id }: Edge) =>
  reachedFrom(tx, workspaceId, depends_on_card_id, 'card_id', sql`>= ${positionOf(workspaceId, card_id)}`);

/** Reads the dependent card and its dependents, as far as they precede the card to depend on. */
export const findDependents = (tx: Tx, workspaceId: string, { card_id, depends_on_card_id }: Edge) =>
  reachedFrom(tx, workspaceId, card_id, 'depends_on_card_id', sql`< ${positionOf(workspaceId, depends_on_card_id)}`);

/**
 * Gives cards other positions. That counts as a change: a statement that read the graph before must not use the old
 * ones.
 */
export const setPositions = async (tx: Tx, workspaceId: string, positions: readonly CardPosition[]): Promise<void> => {
  await sql`
    with changed as (update workspaces set last_change = last_change + 1 where workspace_id = ${workspaceId})
    insert into cards (workspace_id, id, position)
    select ${workspaceId}::uuid, id, position
    from json_to_recordset(${JSON.stringify(positions)}) as card (id uuid, position bigint)
    on conflict (workspace_id, id) do update set position = excluded.position`.execute(tx);
};

/** Reads every dependency between two of the cards. */
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
 * Reads the dependencies of a workspace by their ends, with the number of its last change.
 * @param range those after the one and up to the other; null means from the first, or to the last
 * @returns `next`: the last one read, where there are more
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
