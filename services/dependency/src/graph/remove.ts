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

/** The most removals per transaction. It keeps transactions short. */
const atOnce = 64;

/** A dependency to remove. */
interface Removal extends EdgeRequest {
  workspaceId: string;
}

/**
 * Creates the batching of removals. Concurrent removals of a workspace wait in this process. At the lock of the graph,
 * each would hold a connection that other workspaces need.
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
 * Removes a dependency under the workspace's lock (CONTRACT 7). The topological order stays valid.
 * @returns the internal event that the dependency does not exist, and the change for the feed where it existed;
 *   undefined where it never existed, or was removed with one of its cards
 */
export const removeEdge = async (tx: Tx, removal: Removal, now: Date) => {
  const { workspaceId, requestId, card_id, depends_on_card_id } = removal;
  const edge = { card_id, depends_on_card_id };
  const lastChange = await lockWorkspace(tx, workspaceId);
  const isThere = await deleteEdge(tx, workspaceId, edge);
  if (!isThere && !(await areOrdered(tx, workspaceId, edge))) return undefined;
  const version = isThere ? lastChange + 1 : lastChange;
  const event = changeEvent(workspaceId, { ...edge, exists: false, version }, now, requestId);
  // A repeated removal hands the event over again, because the earlier writer may have crashed first. It appends
  // nothing.
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
 * Removes the dependencies of deleted cards of a workspace, under its lock. Their tombstones refuse later dependencies.
 * @returns the ids of the cards that had no tombstone before
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
  // A tombstone counts as a change of the graph, so that a statement that read the graph before cannot add an edge to
  // the card.
  await setLastChange(tx, workspaceId, lastChange + Math.max(edges.length, 1));
  await appendChanges(tx, workspaceId, [], events);
  return removed;
};

/**
 * Creates the batching of deleted cards. A batch of cards that all have tombstones takes no lock.
 * @returns the batches; each card resolves to whether this request removed it
 */
export const createDeletions = ({ db, now }: Connections<Tables>) =>
  coalesce<Deletion, boolean>({
    name: 'card_deletions',
    laneOf: ({ workspaceId }) => workspaceId,
    run: async (deletions) => {
      const workspaceId = deletions[0]?.workspaceId as string;
      const ids = deletions.map(({ cardId }) => cardId);
      const known = new Set(await db.read((tx) => findTombstones(tx, workspaceId, ids)));
      const newDeletions = deletions.filter(({ cardId }) => !known.has(cardId));
      const remove = () => db.transaction((tx) => removeCards(tx, workspaceId, newDeletions, now()));
      const removed = new Set(newDeletions.length > 0 ? await remove() : []);
      // Of equal requests, the first one counts as the removal.
      return ids.map((id) => removed.delete(id));
    },
  });
