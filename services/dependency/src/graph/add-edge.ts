import { appendEvents } from '@cardinal/db';
import { type Edge, shortestChain } from '../domain/cycle.ts';
import { mendOrder, placeEnds } from '../domain/order.ts';
import { changeEvent } from '../events/change-event.ts';
import { findCards, savePlaces } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { type EdgeRow, findEdge, insertEdge } from '../store/edges.ts';
import { type Contradiction, findEdgesAmong, findNeeded, findWaiting } from '../store/region.ts';
import { lockWorkspace, saveWorkspace } from '../store/workspaces.ts';

/** What became of a new dependency. */
export type Addition =
  | { result: 'added' | 'there'; edge: EdgeRow }
  /** One of the two cards was deleted meanwhile. */
  | { result: 'gone' }
  /** The cards of the cycle, the dependent one at both ends. */
  | { result: 'cycle'; path: string[] };

/**
 * Adds a dependency unless it is there or closes a cycle, under the workspace's lock. Where it agrees with the order
 * the cost does not depend on the size of the graph; else only the cards between its two ends are looked at.
 */
export const addEdge = async (tx: Tx, workspaceId: string, edge: Edge, now: Date): Promise<Addition> => {
  const workspace = await lockWorkspace(tx, workspaceId);
  const known = await findCards(tx, workspaceId, [edge.card_id, edge.depends_on_card_id]);
  if ([...known.values()].some(({ deleted }) => deleted)) return { result: 'gone' };
  const there = await findEdge(tx, workspaceId, edge);
  if (there) return { result: 'there', edge: there };

  const ends = { card: known.get(edge.card_id)?.position, dependsOn: known.get(edge.depends_on_card_id)?.position };
  const { card, dependsOn, bounds } = placeEnds(ends, workspace.bounds);
  const places = [
    { id: edge.card_id, position: card },
    { id: edge.depends_on_card_id, position: dependsOn },
  ] as const;
  if (dependsOn > card) {
    const cycle = await mend(tx, workspaceId, { card: places[0], dependsOn: places[1] });
    if (cycle) return { result: 'cycle', path: cycle };
  } else {
    await savePlaces(
      tx,
      workspaceId,
      places.filter(({ id }) => !known.has(id)),
    );
  }
  const version = workspace.lastChange + 1;
  const row = { workspace_id: workspaceId, ...edge, version, created_at: now };
  await insertEdge(tx, row);
  await saveWorkspace(tx, { ...workspace, lastChange: version, bounds });
  await appendEvents(tx, [changeEvent(workspaceId, { ...edge, exists: true, version }, now)]);
  return { result: 'added', edge: row };
};

/** Makes the order agree with a dependency that it contradicts. @returns the cycle, where that is why it does */
const mend = async (tx: Tx, workspaceId: string, contradiction: Contradiction): Promise<string[] | undefined> => {
  const { card, dependsOn } = contradiction;
  const needed = await findNeeded(tx, workspaceId, contradiction);
  if (needed.some(({ id }) => id === card.id)) {
    const ids = needed.map(({ id }) => id);
    const edges = await findEdgesAmong(tx, workspaceId, ids);
    return [card.id, ...shortestChain(edges, dependsOn.id, card.id)];
  }
  const waiting = await findWaiting(tx, workspaceId, contradiction);
  await savePlaces(tx, workspaceId, mendOrder(needed, waiting));
  return undefined;
};
