import { appendEvents } from '@cardinal/db';
import { type Edge, shortestChain } from '../domain/cycle.ts';
import { mendOrder, placeEnds } from '../domain/order.ts';
import { changeEvent } from '../events/change-event.ts';
import type { Tx } from '../store/database.ts';
import type { EdgeRow } from '../store/edges.ts';
import { type Contradiction, findEdgesAmong, findNeeded, findWaiting } from '../store/region.ts';
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
 * Adds dependencies of one workspace, in their order, each unless it is there or closes a cycle; under the workspace's
 * lock. Those that agree with the order cost the same in any graph, and together hardly more than one; for another only
 * the cards between its two ends are looked at.
 */
export const addEdges = async (
  tx: Tx,
  workspaceId: string,
  wanted: readonly WantedEdge[],
  clock: () => Date,
): Promise<Addition[]> => {
  const graph = await openGraph(tx, workspaceId, wanted);
  // After the lock: lists go by the number of the change, which must not contradict the times that they tell.
  const now = clock();
  const additions: Addition[] = [];
  for (const edge of wanted) additions.push(await add(tx, graph, edge, now));
  await graph.close();
  const events = additions.flatMap((addition, index) =>
    addition.result === 'added'
      ? [changeEvent(workspaceId, { ...addition.edge, exists: true }, now, wanted[index]?.requestId)]
      : [],
  );
  await appendEvents(tx, events);
  return additions;
};

const add = async (tx: Tx, graph: OpenGraph, edge: Edge, now: Date): Promise<Addition> => {
  if (graph.isDeleted(edge.card_id) || graph.isDeleted(edge.depends_on_card_id)) return { result: 'gone' };
  const there = graph.edge(edge);
  if (there) return { result: 'there', edge: there };
  if (graph.dependenciesOf(edge.card_id) >= mostDependencies) return { result: 'full' };

  const ends = { card: graph.position(edge.card_id), dependsOn: graph.position(edge.depends_on_card_id) };
  const { card, dependsOn, bounds } = placeEnds(ends, graph.bounds());
  const contradiction = {
    card: { id: edge.card_id, position: card },
    dependsOn: { id: edge.depends_on_card_id, position: dependsOn },
  };
  if (dependsOn < card) {
    graph.place([contradiction.card, contradiction.dependsOn], bounds);
  } else {
    const cycle = await mend(tx, graph, contradiction);
    if (cycle) return { result: 'cycle', path: cycle };
  }
  return { result: 'added', edge: graph.add(edge, now) };
};

/** Makes the order agree with a dependency that it contradicts. @returns the cycle, where that is why it does */
const mend = async (tx: Tx, graph: OpenGraph, contradiction: Contradiction): Promise<string[] | undefined> => {
  const { card, dependsOn } = contradiction;
  await graph.write();
  const needed = await findNeeded(tx, graph.workspaceId, contradiction);
  if (needed.some(({ id }) => id === card.id)) {
    const ids = needed.map(({ id }) => id);
    const edges = await findEdgesAmong(tx, graph.workspaceId, ids);
    return [card.id, ...shortestChain(edges, dependsOn.id, card.id)];
  }
  const waiting = await findWaiting(tx, graph.workspaceId, contradiction);
  graph.place(mendOrder(needed, waiting), graph.bounds());
  return undefined;
};
