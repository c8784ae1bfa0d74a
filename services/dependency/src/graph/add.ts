import type { Database } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { Tables, Tx } from '../context.ts';
import { type Addition, type EdgeRequest, mostDependencies, tryAddAgreeing } from './agreeing-edges.ts';
import { changeEvent } from './events.ts';
import { type LockedGraph, lockGraph } from './locked-graph.ts';
import { findDependencies, findDependents, findEdgesAmong, type Inversion } from './queries.ts';
import { type Edge, placeEnds, reorder, shortestPath } from './rules.ts';

/** Keeps a transaction short where many of its dependencies go against the order. */
const atOnce = 64;

/**
 * New dependencies of a workspace that arrive while others are added are added together next: they would wait for
 * those anyway, each with a connection that other workspaces need.
 */
export const createAdditions = (db: Database<Tables>) =>
  coalesce<EdgeRequest & { workspaceId: string }, Addition>({
    name: 'dependency_additions',
    laneOf: ({ workspaceId }) => workspaceId,
    maxBatch: atOnce,
    // A lane is a workspace, so the first one speaks for all.
    run: (requests) => addEdges(db, requests[0]?.workspaceId as string, requests),
  });

/**
 * Adds dependencies of one workspace, in their order, each unless it is there or closes a cycle. Those that agree with
 * the order take one statement in any graph, however many they are. Where one does not, or somebody else changes the graph
 * meanwhile, all is done under the workspace's lock; for one against the order only the cards between its two ends are
 * looked at.
 */
export const addEdges = async (db: Database<Tables>, workspaceId: string, requests: readonly EdgeRequest[]) =>
  (await tryAddAgreeing(db, workspaceId, requests)) ??
  (await db.transaction((tx) => addUnderLock(tx, workspaceId, requests)));

const addUnderLock = async (tx: Tx, workspaceId: string, requests: readonly EdgeRequest[]): Promise<Addition[]> => {
  const graph = await lockGraph(tx, workspaceId, requests);
  const additions: Addition[] = [];
  for (const edge of requests) additions.push(decide(graph, edge) ?? (await add(tx, graph, edge)));
  const events = additions.flatMap((addition, index) =>
    addition.result === 'added'
      ? [changeEvent(workspaceId, { ...addition.edge, exists: true }, graph.now, requests[index]?.requestId)]
      : [],
  );
  await graph.write(events);
  return additions;
};

/** Why a dependency is not added, without a look at the order; undefined where it may be. */
const decide = (graph: LockedGraph, edge: Edge): Addition | undefined => {
  if (graph.isDeleted(edge.card_id) || graph.isDeleted(edge.depends_on_card_id)) return { result: 'gone' };
  const there = graph.edge(edge);
  if (there) return { result: 'there', edge: there };
  return graph.dependenciesOf(edge.card_id) >= mostDependencies ? { result: 'full' } : undefined;
};

/** Adds a dependency, for which the order changes where it has to, unless it closes a cycle. */
const add = async (tx: Tx, graph: LockedGraph, edge: Edge): Promise<Addition> => {
  const ends = { card: graph.position(edge.card_id), dependsOn: graph.position(edge.depends_on_card_id) };
  const { bounds, ...positions } = placeEnds(ends, graph.bounds());
  const card = { id: edge.card_id, position: positions.card };
  const dependsOn = { id: edge.depends_on_card_id, position: positions.dependsOn };
  if (dependsOn.position < card.position) {
    graph.setPositions([card, dependsOn], bounds);
    return { result: 'added', edge: graph.add(edge) };
  }
  const path = await invert(tx, graph, { card, dependsOn });
  return path ? { result: 'cycle', path } : { result: 'added', edge: graph.add(edge) };
};

/** Makes the order agree with a dependency that goes against it. @returns the cycle that stands against that */
const invert = async (tx: Tx, graph: LockedGraph, inversion: Inversion): Promise<string[] | undefined> => {
  const { card, dependsOn } = inversion;
  // For the searches to see.
  await graph.write();
  const dependencies = await findDependencies(tx, graph.workspaceId, inversion);
  if (dependencies.some(({ id }) => id === card.id)) {
    const ids = dependencies.map(({ id }) => id);
    return [card.id, ...shortestPath(await findEdgesAmong(tx, graph.workspaceId, ids), dependsOn.id, card.id)];
  }
  const dependents = await findDependents(tx, graph.workspaceId, inversion);
  graph.setPositions(reorder(dependencies, dependents), graph.bounds());
  return undefined;
};
