import type { Edge } from '../domain/cycle.ts';
import type { Bounds, Place } from '../domain/order.ts';
import { findCards, savePlaces } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { countDependencies, type EdgeRow, findEdges, insertEdges } from '../store/edges.ts';
import { lockWorkspace, saveWorkspace } from '../store/workspaces.ts';

/** A workspace's graph under its lock, as far as some dependencies touch it; what changes is written together. */
export interface OpenGraph {
  readonly workspaceId: string;
  isDeleted(cardId: string): boolean;
  /** Undefined for a card that is not in the order. */
  position(cardId: string): number | undefined;
  edge(edge: Edge): EdgeRow | undefined;
  /** How many cards a dependent card of the dependencies touched depends on. */
  dependenciesOf(cardId: string): number;
  bounds(): Bounds;
  place(places: readonly Place[], bounds: Bounds): void;
  add(edge: Edge, now: Date): EdgeRow;
  /** Writes what changed so far, for queries that have to see it. */
  write(): Promise<void>;
  /** Writes the rest. */
  close(): Promise<void>;
}

const keyOf = ({ card_id, depends_on_card_id }: Edge) => `${card_id}>${depends_on_card_id}`;

/** Locks a workspace's graph and reads what the dependencies touch. */
export const openGraph = async (tx: Tx, workspaceId: string, touched: readonly Edge[]): Promise<OpenGraph> => {
  const workspace = await lockWorkspace(tx, workspaceId);
  const ids = touched.flatMap((edge) => [edge.card_id, edge.depends_on_card_id]);
  const cards = await findCards(tx, workspaceId, ids);
  const found = await findEdges(tx, workspaceId, touched);
  const edges = new Map(found.map((edge) => [keyOf(edge), edge]));
  const dependents = [...new Set(touched.map(({ card_id }) => card_id))];
  const counts = await countDependencies(tx, workspaceId, dependents);
  const former = workspace.lastChange;
  const newEdges: EdgeRow[] = [];
  const newPlaces = new Map<string, number>();

  const write = async () => {
    const places = [...newPlaces].map(([id, position]) => ({ id, position }));
    newPlaces.clear();
    await savePlaces(tx, workspaceId, places);
    await insertEdges(tx, newEdges.splice(0));
  };

  return {
    workspaceId,
    isDeleted: (id) => cards.get(id)?.deleted ?? false,
    position: (id) => cards.get(id)?.position,
    edge: (edge) => edges.get(keyOf(edge)),
    dependenciesOf: (id) => counts.get(id) ?? 0,
    bounds: () => workspace.bounds,
    place: (places, bounds) => {
      workspace.bounds = bounds;
      for (const { id, position } of places) {
        if (cards.get(id)?.position === position) continue;
        cards.set(id, { position, deleted: false });
        newPlaces.set(id, position);
      }
    },
    add: ({ card_id, depends_on_card_id }, now) => {
      workspace.lastChange += 1;
      const row = { workspace_id: workspaceId, card_id, depends_on_card_id };
      const edge: EdgeRow = { ...row, version: workspace.lastChange, created_at: now };
      edges.set(keyOf(edge), edge);
      counts.set(card_id, (counts.get(card_id) ?? 0) + 1);
      newEdges.push(edge);
      return edge;
    },
    write,
    close: async () => {
      await write();
      if (workspace.lastChange > former) await saveWorkspace(tx, workspace);
    },
  };
};
