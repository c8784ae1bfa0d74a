import type { Database } from '@cardinal/db';
import { type Edge, shortestChain } from '../domain/cycle.ts';
import { mendOrder, placeEnds } from '../domain/order.ts';
import { changeEvent } from '../events/change-event.ts';
import type { Tables, Tx } from '../store/database.ts';
import type { EdgeRow } from '../store/edges.ts';
import { type Contradiction, findEdgesAmong, findNeeded, findWaiting } from '../store/region.ts';
import { addAgreeingEdges } from '../store/statements/add-agreeing-edges.ts';
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
 * the order take one statement in any graph, however many they are. Where one does not, or somebody else changes the graph
 * meanwhile, all is done under the workspace's lock; for one against the order only the cards between its two ends are
 * looked at.
 */
export const addEdges = async (
  db: Database<Tables>,
  workspaceId: string,
  wanted: readonly WantedEdge[],
): Promise<Addition[]> =>
  (await addAgreeing(db, workspaceId, wanted)) ?? (await db.transaction((tx) => addUnderLock(tx, workspaceId, wanted)));

const addAgreeing = async (
  db: Database<Tables>,
  workspaceId: string,
  wanted: readonly WantedEdge[],
): Promise<Addition[] | undefined> => {
  const edges = wanted.map(({ requestId, card_id, depends_on_card_id }, index) => {
    const ends = { card_id, depends_on_card_id };
    // The statement knows version and time.
    const event = changeEvent(workspaceId, { ...ends, exists: true, version: 0 }, new Date(0), requestId);
    return { place: index + 1, ...ends, event };
  });
  const rows = await db.statement((tx) =>
    addAgreeingEdges.run(tx, [workspaceId, JSON.stringify(edges), mostDependencies]),
  );
  if (rows.length === 0) return undefined;
  return rows.map(({ place, result, version, created_at }): Addition => {
    if (version === null || created_at === null || result === 'gone' || result === 'full') {
      return { result: result === 'gone' ? 'gone' : 'full' };
    }
    const { card_id, depends_on_card_id } = wanted[place - 1] as WantedEdge;
    return { result, edge: { workspace_id: workspaceId, card_id, depends_on_card_id, version, created_at } };
  });
};

const addUnderLock = async (tx: Tx, workspaceId: string, wanted: readonly WantedEdge[]): Promise<Addition[]> => {
  await lockWorkspace(tx, workspaceId);
  const graph = await openGraph(tx, workspaceId, wanted);
  const additions: Addition[] = [];
  for (const edge of wanted) {
    const addition = judge(graph, edge) ?? place(graph, edge);
    additions.push('contradiction' in addition ? await mend(tx, graph, addition.contradiction) : addition);
  }
  await graph.write(tx, eventsOf(graph, wanted, additions));
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
const place = (graph: OpenGraph, edge: Edge): Addition | { contradiction: Contradiction } => {
  const ends = { card: graph.position(edge.card_id), dependsOn: graph.position(edge.depends_on_card_id) };
  const { card, dependsOn, bounds } = placeEnds(ends, graph.bounds());
  const places = {
    card: { id: edge.card_id, position: card },
    dependsOn: { id: edge.depends_on_card_id, position: dependsOn },
  };
  if (dependsOn >= card) return { contradiction: places };
  graph.place([places.card, places.dependsOn], bounds);
  return { result: 'added', edge: graph.add(edge) };
};

/** Makes the order agree with a dependency that it contradicts, and adds that, unless it closes a cycle. */
const mend = async (tx: Tx, graph: OpenGraph, contradiction: Contradiction): Promise<Addition> => {
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
  return { result: 'added', edge: graph.add({ card_id: card.id, depends_on_card_id: dependsOn.id }) };
};

const eventsOf = (graph: OpenGraph, wanted: readonly WantedEdge[], additions: readonly Addition[]) =>
  additions.flatMap((addition, index) =>
    addition.result === 'added'
      ? [changeEvent(graph.workspaceId, { ...addition.edge, exists: true }, graph.now, wanted[index]?.requestId)]
      : [],
  );
