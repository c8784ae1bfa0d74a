import type { Database } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { Tables, Tx } from '../context.ts';
import { type Addition, addAgreeing } from './agreeing-edges.ts';
import type { EdgeRequest } from './changes.ts';
import { findDependencies, findDependents, findEdgesAmong, lockWorkspace, setPositions } from './queries.ts';
import { type Edge, reorder, shortestPath } from './rules.ts';

/** The most dependencies per transaction. It keeps transactions short where many dependencies contradict the order. */
const atOnce = 64;

/**
 * Creates the batching of new dependencies. Dependencies of a workspace that arrive while others are added form the
 * next batch: alone, each would wait for the same lock, with a connection that other workspaces need.
 */
export const createAdditions = (db: Database<Tables>) =>
  coalesce<EdgeRequest & { workspaceId: string }, Addition>({
    name: 'dependency_additions',
    laneOf: ({ workspaceId }) => workspaceId,
    maxBatch: atOnce,
    // All requests of a lane have the same workspace.
    run: (requests) => addEdges(db, requests[0]?.workspaceId as string, requests),
  });

/**
 * Adds dependencies of one workspace, in order (CONTRACT 7). A dependency that exists, or that closes a cycle, is not
 * added. Where all agree with the topological order, one statement adds them, in a graph of any size. Where one
 * contradicts the order, or the graph changes meanwhile, they are added under the workspace's lock. For a dependency
 * that contradicts the order, only the cards between its two ends are read.
 * @returns the outcome of each, in order
 */
export const addEdges = async (db: Database<Tables>, workspaceId: string, requests: readonly EdgeRequest[]) =>
  (await db.statement((tx) => addAgreeing(tx, workspaceId, requests))) ??
  (await db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    return addUnderLock(tx, workspaceId, requests);
  }));

/**
 * Adds dependencies under the lock: together if they agree with the order, else in halves. A single one changes the
 * order.
 */
const addUnderLock = async (tx: Tx, workspaceId: string, requests: readonly EdgeRequest[]): Promise<Addition[]> => {
  const half = requests.length >> 1;
  const path = half === 0 ? await reorderFor(tx, workspaceId, requests[0] as Edge) : undefined;
  if (path) return [{ result: 'cycle', path }];
  const added = await addAgreeing(tx, workspaceId, requests);
  if (added) return added;
  const additions = await addUnderLock(tx, workspaceId, requests.slice(0, half));
  return [...additions, ...(await addUnderLock(tx, workspaceId, requests.slice(half)))];
};

/**
 * Changes the order for a dependency that contradicts it.
 * @returns the cycle that makes this impossible; undefined without one
 */
const reorderFor = async (tx: Tx, workspaceId: string, edge: Edge): Promise<string[] | undefined> => {
  const dependencies = await findDependencies(tx, workspaceId, edge);
  if (dependencies.length === 0) return undefined;
  const ids = dependencies.map(({ id }) => id);
  if (ids.includes(edge.card_id)) {
    const edges = await findEdgesAmong(tx, workspaceId, ids);
    return [edge.card_id, ...shortestPath(edges, edge.depends_on_card_id, edge.card_id)];
  }
  const dependents = await findDependents(tx, workspaceId, edge);
  await setPositions(tx, workspaceId, reorder(dependencies, dependents));
  return undefined;
};
