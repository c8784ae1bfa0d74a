import { appendChanges } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import type { Tables, Tx } from '../context.ts';
import { changeOfEdge, type EdgeRequest } from './changes.ts';
import {
  areOrdered,
  changeEvent,
  deleteEdge,
  deleteEdgesOf,
  findTombstones,
  insertTombstones,
  lockWorkspace,
  setLastChange,
} from './queries.ts';

/** Keeps the transaction of a removal short. */
const atOnce = 64;

/** A dependency to remove. */
interface Removal extends EdgeRequest {
  workspaceId: string;
}

/**
 * Batches concurrent removals of a workspace: they wait here instead of at the graph's lock, where each would hold a
 * connection that other workspaces need.
 */
export const createRemovals = ({ db, now }: Connections<Tables>) =>
  coalesce<Removal, Awaited<ReturnType<typeof removeEdge>>>({
    name: 'dependency_removals',
    laneOf: ({ workspaceId }) => workspaceId,
    maxBatch: atOnce,
    run: (removals) =>
      db.transaction(async (tx) => {
        const done: Awaited<ReturnType<typeof removeEdge>>[] = [];
        for (const removal of removals) done.push(await removeEdge(tx, removal, now()));
        const removed = done.filter((one) => one?.change !== undefined);
        const [changes, events] = [removed.map((one) => one?.change), removed.flatMap((one) => one?.event ?? [])];
        await appendChanges(tx, removals[0]?.workspaceId as string, changes, events);
        return done;
      }),
  });

/**
 * Removes a dependency under the workspace's lock. The order stays valid.
 * @returns the internal event that it does not exist as of the workspace's last change, and the change for followers
 * where it existed; undefined where it never can have existed, or was removed with one of its cards
 */
export const removeEdge = async (tx: Tx, removal: Removal, now: Date) => {
  const { workspaceId, requestId, card_id, depends_on_card_id } = removal;
  const edge = { card_id, depends_on_card_id };
  const lastChange = await lockWorkspace(tx, workspaceId);
  const isThere = await deleteEdge(tx, workspaceId, edge);
  if (!isThere && !(await areOrdered(tx, workspaceId, edge))) return undefined;
  const version = isThere ? lastChange + 1 : lastChange;
  const event = changeEvent(workspaceId, { ...edge, exists: false, version }, now, requestId);
  // Otherwise the event is handed over again but not appended: the earlier writer may have crashed before it did so.
  if (!isThere) return { event };
  await setLastChange(tx, workspaceId, version);
  return { event, change: changeOfEdge('dependency.removed', removal, now.toISOString()) };
};

interface Deletion {
  workspaceId: string;
  cardId: string;
  requestId?: string | undefined;
}

/**
 * Removes deleted cards of one workspace from its graph, under its lock: their dependencies are removed, and tombstones
 * refuse later ones.
 * @returns the cards that were not removed before
 */
export const removeCards = async (
  tx: Tx,
  workspaceId: string,
  deletions: readonly Pick<Deletion, 'cardId' | 'requestId'>[],
  now: Date,
): Promise<string[]> => {
  const requestIds = new Map(deletions.map(({ cardId, requestId }) => [cardId, requestId]));
  const lastChange = await lockWorkspace(tx, workspaceId);
  const removed = await insertTombstones(tx, workspaceId, [...requestIds.keys()], now);
  if (removed.length === 0) return removed;
  const edges = await deleteEdgesOf(tx, workspaceId, removed);
  const events = edges.map((edge, index) => {
    const requestId = requestIds.get(edge.card_id) ?? requestIds.get(edge.depends_on_card_id);
    return changeEvent(workspaceId, { ...edge, exists: false, version: lastChange + 1 + index }, now, requestId);
  });
  // A tombstone counts as a change: a statement that read the graph before must not add an edge that it refuses.
  await setLastChange(tx, workspaceId, lastChange + Math.max(edges.length, 1));
  await appendChanges(tx, workspaceId, [], events);
  return removed;
};

/**
 * Removes deleted cards of a workspace from its graph, in batches. Cards with a tombstone need no lock.
 * @returns whether something changed
 */
export const createDeletions = ({ db, now }: Connections<Tables>) =>
  coalesce<Deletion, boolean>({
    name: 'card_deletions',
    laneOf: ({ workspaceId }) => workspaceId,
    run: async (deletions) => {
      const workspaceId = deletions[0]?.workspaceId as string;
      const ids = deletions.map(({ cardId }) => cardId);
      const known = new Set(await db.read((tx) => findTombstones(tx, workspaceId, ids)));
      const news = deletions.filter(({ cardId }) => !known.has(cardId));
      const remove = () => db.transaction((tx) => removeCards(tx, workspaceId, news, now()));
      const removed = new Set(news.length > 0 ? await remove() : []);
      // Of equal ones the first has removed it.
      return ids.map((id) => removed.delete(id));
    },
  });
