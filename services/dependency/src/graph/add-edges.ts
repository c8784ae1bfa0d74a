import type { Database } from '@cardinal/db';
import { type Edge, shortestChain } from '../domain/cycle.ts';
import { mendOrder, placeEnds } from '../domain/order.ts';
import { changeEvent } from '../events/change-event.ts';
import type { Tables, Tx } from '../store/database.ts';
import type { EdgeRow } from '../store/edges.ts';
import { type Contradiction, findEdgesAmong, findNeeded, findWaiting } from '../store/region.ts';
import { lockWorkspace } from '../store/workspaces.ts';
import { type OpenGraph, openGraph } from './open-graph.ts';

/** What one card may depend on (api-decisions, "Boards, columns…"); how many depend on it is not bounded. */
export const mostDependencies = 1_000;

/** A dependency that somebody wants. */
export interface WantedEdge extends Edge {
  requestId: string | undefined;
}

/** What became of a new dependency. */
export type Addition =
  | { result: 'added' | 'there'; edge: EdgeRow }
  /** One of the two cards was deleted meanwhile. */
  | { result: 'gone' }
  /** The card has as many dependencies as may be. */
  | { result: 'full' }
  /** The cards of the cycle, the dependent one at both ends. */
  | { result: 'cycle'; path: string[] };

/**
 * Adds dependencies of one workspace, in their order, each unless it is there or closes a cycle. Those that agree with
 * the order take two statements in any graph, however many they are: one reads, one writes if nobody changed the graph
 * meanwhile. Else, and where one goes against the order, all is done under the workspace's lock; for such a one only the
 * cards between its two ends are looked at.
 */
export const addEdges = async (
  db: Database<Tables>,
  workspaceId: string,
  wanted: readonly WantedEdge[],
  clock: () => Date,
): Promise<Addition[]> =>
  (await addInHarmony(db, workspaceId, wanted, clock)) ??
  (await db.transaction((tx) => addUnderLock(tx, workspaceId, wanted, clock)));

const addInHarmony = async (
  db: Database<Tables>,
  workspaceId: string,
  wanted: readonly WantedEdge[],
  clock: () => Date,
): Promise<Addition[] | undefined> => {
  const graph = await db.read((tx) => openGraph(tx, workspaceId, wanted));
  if (!graph) return undefined;
  // After the read: lists go by the number of the change, which must not contradict the times that they tell.
  const now = clock();
  const additions: Addition[] = [];
  for (const edge of wanted) {
    const addition = judge(graph, edge) ?? place(graph, edge, now);
    if ('contradiction' in addition) return undefined;
    additions.push(addition);
  }
  const events = eventsOf(graph, wanted, additions, now);
  return (await db.statement((tx) => graph.write(tx, events))) ? additions : undefined;
};

const addUnderLock = async (
  tx: Tx,
  workspaceId: string,
  wanted: readonly WantedEdge[],
  clock: () => Date,
): Promise<Addition[]> => {
  await lockWorkspace(tx, workspaceId);
  const graph = (await openGraph(tx, workspaceId, wanted)) as OpenGraph;
  const now = clock();
  const additions: Addition[] = [];
  for (const edge of wanted) {
    const addition = judge(graph, edge) ?? place(graph, edge, now);
    additions.push('contradiction' in addition ? await mend(tx, graph, addition.contradiction, now) : addition);
  }
  await graph.write(tx, eventsOf(graph, wanted, additions, now));
  return additions;
};

/** Why a dependency is not added, without a look at the order; undefined where it may be. */
const judge = (graph: OpenGraph, edge: Edge): Addition | undefined => {
  if (graph.isDeleted(edge.card_id) || graph.isDeleted(edge.depends_on_card_id)) return { result: 'gone' };
  const there = graph.edge(edge);
  if (there) return { result: 'there', edge: there };
  return graph.dependenciesOf(edge.card_id) >= mostDependencies ? { result: 'full' } : undefined;
};

/** Adds a dependency that agrees with the order; else tells how the two contradict each other. */
const place = (graph: OpenGraph, edge: Edge, now: Date): Addition | { contradiction: Contradiction } => {
  const ends = { card: graph.position(edge.card_id), dependsOn: graph.position(edge.depends_on_card_id) };
  const { card, dependsOn, bounds } = placeEnds(ends, graph.bounds());
  const places = {
    card: { id: edge.card_id, position: card },
    dependsOn: { id: edge.depends_on_card_id, position: dependsOn },
  };
  if (dependsOn >= card) return { contradiction: places };
  graph.place([places.card, places.dependsOn], bounds);
  return { result: 'added', edge: graph.add(edge, now) };
};

/** Makes the order agree with a dependency that it contradicts, and adds that, unless it closes a cycle. */
const mend = async (tx: Tx, graph: OpenGraph, contradiction: Contradiction, now: Date): Promise<Addition> => {
  const { card, dependsOn } = contradiction;
  // For the searches to see.
  await graph.write(tx);
  const needed = await findNeeded(tx, graph.workspaceId, contradiction);
  if (needed.some(({ id }) => id === card.id)) {
    const ids = needed.map(({ id }) => id);
    const edges = await findEdgesAmong(tx, graph.workspaceId, ids);
    return { result: 'cycle', path: [card.id, ...shortestChain(edges, dependsOn.id, card.id)] };
  }
  const waiting = await findWaiting(tx, graph.workspaceId, contradiction);
  graph.place(mendOrder(needed, waiting), graph.bounds());
  return { result: 'added', edge: graph.add({ card_id: card.id, depends_on_card_id: dependsOn.id }, now) };
};

const eventsOf = (graph: OpenGraph, wanted: readonly WantedEdge[], additions: readonly Addition[], now: Date) =>
  additions.flatMap((addition, index) =>
    addition.result === 'added'
      ? [changeEvent(graph.workspaceId, { ...addition.edge, exists: true }, now, wanted[index]?.requestId)]
      : [],
  );
