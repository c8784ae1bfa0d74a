import type { Database } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { Tables, Tx } from '../context.ts';
import { type Addition, addAgreeing } from './agreeing-edges.ts';
import type { EdgeRequest } from './changes.ts';
import { findDependencies, findDependents, findEdgesAmong, lockWorkspace, setPositions } from './queries.ts';
import { type Edge, reorder, shortestPath } from './rules.ts';

/** Keeps a transaction short where many of its dependencies go against the order. */
const atOnce = 64;

/**
 * Batches new dependencies of a workspace that arrive while others are added: they would wait for those anyway, each
 * with a connection that other workspaces need.
 */
export const createAdditions = (db: Database<Tables>) =>
  coalesce<EdgeRequest & { workspaceId: string }, Addition>({
    name: 'dependency_additions',
    laneOf: ({ workspaceId }) => workspaceId,
    maxBatch: atOnce,
    // A lane is a workspace, so the first request has that of all.
    run: (requests) => addEdges(db, requests[0]?.workspaceId as string, requests),
  });

/**
 * Adds dependencies of one workspace, in order, each unless it exists or closes a cycle. Those that agree with the
 * order take one statement in any graph, however many they are. Where one does not, or the graph changes meanwhile, all
 * are added under the workspace's lock; for one against the order only the cards between its two ends are read.
 */
export const addEdges = async (db: Database<Tables>, workspaceId: string, requests: readonly EdgeRequest[]) =>
  (await db.statement((tx) => addAgreeing(tx, workspaceId, requests))) ??
  (await db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    return addUnderLock(tx, workspaceId, requests);
  }));

/**
 * Adds dependencies by halves where they do not agree with the order together. For a single one, the order is changed.
 */
const addUnderLock = async (tx: Tx, workspaceId: string, requests: readonly EdgeRequest[]): Promise<Addition[]> => {
  const half = requests.length >> 1;
  const path = half === 0 ? await invert(tx, workspaceId, requests[0] as Edge) : undefined;
  if (path) return [{ result: 'cycle', path }];
  const added = await addAgreeing(tx, workspaceId, requests);
  if (added) return added;
  const additions = await addUnderLock(tx, workspaceId, requests.slice(0, half));
  return [...additions, ...(await addUnderLock(tx, workspaceId, requests.slice(half)))];
};

/** Changes the order for a dependency that goes against it. @returns the cycle where that is impossible */
const invert = async (tx: Tx, workspaceId: string, edge: Edge): Promise<string[] | undefined> => {
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
