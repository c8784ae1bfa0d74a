import type { Edge } from '../domain/cycle.ts';
import type { Bounds, Place } from '../domain/order.ts';
import type { ChangeEvent } from '../events/change-event.ts';
import type { Tx } from '../store/database.ts';
import type { EdgeRow } from '../store/edges.ts';
import { readGraph, type Touched } from '../store/statements/read-graph.ts';
import { writeGraph } from '../store/statements/write-graph.ts';

/** A locked workspace's graph, as far as some dependencies touch it; what changes is written together. */
export interface OpenGraph {
  readonly workspaceId: string;
  /** When it was read, as the database's clock tells. */
  readonly now: Date;
  isDeleted(cardId: string): boolean;
  /** Undefined for a card that is not in the order. */
  position(cardId: string): number | undefined;
  edge(edge: Edge): EdgeRow | undefined;
  /** How many cards a dependent card of the dependencies touched depends on. */
  dependenciesOf(cardId: string): number;
  bounds(): Bounds;
  place(places: readonly Place[], bounds: Bounds): void;
  add(edge: Edge): EdgeRow;
  /** Writes what changed since it was read or last written. */
  write(tx: Tx, events?: readonly ChangeEvent[]): Promise<void>;
}

const keyOf = ({ card_id, depends_on_card_id }: Edge) => `${card_id}>${depends_on_card_id}`;

/** Reads what dependencies of a workspace touch, at least one; its lock is held. */
export const openGraph = async (tx: Tx, workspaceId: string, touched: readonly Edge[]): Promise<OpenGraph> => {
  const wanted = touched.map(({ card_id, depends_on_card_id }, index) => ({
    place: index + 1,
    card_id,
    depends_on_card_id,
  }));
  const rows = await readGraph.run(tx, [workspaceId, JSON.stringify(wanted)]);
  const first = rows[0] as Touched;
  const { now } = first;
  const cards = new Map<string, { position: number | undefined; deleted: boolean }>();
  const edges = new Map<string, EdgeRow>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { card_id, depends_on_card_id } = touched[row.place - 1] as Edge;
    cards.set(card_id, { position: row.card_position ?? undefined, deleted: row.card_deleted });
    cards.set(depends_on_card_id, { position: row.needed_position ?? undefined, deleted: row.needed_deleted });
    counts.set(card_id, row.dependencies);
    if (row.version === null || row.created_at === null) continue;
    const ends = { workspace_id: workspaceId, card_id, depends_on_card_id };
    edges.set(keyOf(ends), { ...ends, version: row.version, created_at: row.created_at });
  }
  let bounds: Bounds = { first: first.first_position, last: first.last_position };
  let lastChange = first.last_change;
  let written = lastChange;
  const newEdges: EdgeRow[] = [];
  const newPlaces = new Map<string, number>();

  return {
    workspaceId,
    now,
    isDeleted: (id) => cards.get(id)?.deleted ?? false,
    position: (id) => cards.get(id)?.position,
    edge: (edge) => edges.get(keyOf(edge)),
    dependenciesOf: (id) => counts.get(id) ?? 0,
    bounds: () => bounds,
    place: (places, next) => {
      bounds = next;
      for (const { id, position } of places) {
        if (cards.get(id)?.position === position) continue;
        cards.set(id, { position, deleted: false });
        newPlaces.set(id, position);
      }
    },
    add: ({ card_id, depends_on_card_id }) => {
      lastChange += 1;
      const edge: EdgeRow = {
        workspace_id: workspaceId,
        card_id,
        depends_on_card_id,
        version: lastChange,
        created_at: now,
      };
      edges.set(keyOf(edge), edge);
      counts.set(card_id, (counts.get(card_id) ?? 0) + 1);
      newEdges.push(edge);
      return edge;
    },
    write: async (tx, events = []) => {
      if (lastChange === written && events.length === 0) return;
      const places = [...newPlaces].map(([id, position]) => ({ id, position }));
      const lists = [places, newEdges, events].map((list) => JSON.stringify(list));
      await writeGraph.run(tx, [workspaceId, lastChange, bounds.first, bounds.last, ...lists]);
      written = lastChange;
      newPlaces.clear();
      newEdges.length = 0;
    },
  };
};
