import { appendEvents } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { Tx } from '../database.ts';
import { type ChangeEvent, changeEvent } from './events.ts';
import { areOrdered, deleteEdge, deleteEdgesOf, insertTombstone, lockWorkspace, setLastChange } from './queries.ts';
import type { Edge } from './rules.ts';

/**
 * Removes a dependency under the workspace's lock. The order stays as it is: what agreed with it does so with one
 * dependency less.
 * @returns what tells the projection that it is not there as of the workspace's last change; undefined where it never
 * can have been, or went with one of its cards
 */
export const removeEdge = async (
  tx: Tx,
  workspaceId: string,
  edge: Edge,
  now: Date,
): Promise<ChangeEvent | undefined> => {
  const lastChange = await lockWorkspace(tx, workspaceId);
  if (await deleteEdge(tx, workspaceId, edge)) {
    const event = changeEvent(workspaceId, { ...edge, exists: false, version: lastChange + 1 }, now);
    await setLastChange(tx, workspaceId, lastChange + 1);
    await appendEvents(tx, [event]);
    return event;
  }
  if (!(await areOrdered(tx, workspaceId, edge))) return undefined;
  // Handed over again, and not published: whoever removed it may not have come that far.
  return changeEvent(workspaceId, { ...edge, exists: false, version: lastChange }, now);
};

/**
 * Takes a deleted card out of the graph, under the workspace's lock: its dependencies go, and a tombstone keeps out those
 * that are still on their way.
 * @returns false where that was done before, so that it needs no inbox
 */
export const removeCard = async (tx: Tx, workspaceId: string, cardId: string, now: Date): Promise<boolean> => {
  const lastChange = await lockWorkspace(tx, workspaceId);
  if (!(await insertTombstone(tx, workspaceId, cardId, now))) return false;
  const edges = await deleteEdgesOf(tx, workspaceId, cardId);
  const events = edges.map((edge, index) =>
    changeEvent(workspaceId, { ...edge, exists: false, version: lastChange + 1 + index }, now),
  );
  // The tombstone is a change too: who read the graph before must not add to it what it keeps out.
  await setLastChange(tx, workspaceId, lastChange + Math.max(edges.length, 1));
  await appendEvents(tx, events);
  return true;
};

/**
 * Runs work of one workspace after the work that came before it: changes of its graph wait here instead of at its lock,
 * where each would hold a connection that other workspaces need. The lock decides between instances.
 */
export const createWorkspaceMutex = () => {
  const queue = coalesce<{ workspaceId: string; work: () => Promise<unknown> }, unknown>({
    name: 'workspace_mutex',
    laneOf: ({ workspaceId }) => workspaceId,
    maxBatch: 1,
    run: (members) => Promise.all(members.map(({ work }) => work())),
  });
  return <Result>(workspaceId: string, work: () => Promise<Result>) =>
    queue.submit({ workspaceId, work }) as Promise<Result>;
};
