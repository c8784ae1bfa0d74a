/** An edge of the graph: one card depends on another. */
export interface Edge {
  card_id: string;
  depends_on_card_id: string;
}

/**
 * A card's position in its workspace's topological order: every card comes after all its dependencies. A graph with
 * such an order has no cycle.
 */
export interface CardPosition {
  id: string;
  position: number;
}

const byPosition = (one: CardPosition, other: CardPosition) => one.position - other.position;

/**
 * Changes the order for a dependency that contradicts it (D. J. Pearce, P. H. J. Kelly, "A Dynamic Topological Sort
 * Algorithm for Directed Acyclic Graphs", JEA 2007). The cards of the affected region exchange their positions, and no
 * other card moves.
 * @param dependencies the new dependency's card and its dependencies, as far as they come after the dependent card
 * @param dependents the dependent card and its dependents, as far as they come before the new dependency's card. No
 *   card is in both lists, because that would be a cycle
 * @returns the cards whose positions change, with their new positions
 */
export const reorder = (dependencies: readonly CardPosition[], dependents: readonly CardPosition[]): CardPosition[] => {
  const inOrder = [...dependencies.toSorted(byPosition), ...dependents.toSorted(byPosition)];
  const positions = inOrder.map(({ position }) => position).sort((one, other) => one - other);
  return inOrder
    .map(({ id }, index) => ({ id, position: positions[index] as number }))
    .filter(({ position }, index) => position !== inOrder[index]?.position);
};

/**
 * Finds a shortest path of dependencies from one card to another.
 * @param edges all edges that can be part of the path
 * @returns the cards of the path, both ends included
 * @throws Error where the edges do not connect the two cards
 */
export const shortestPath = (edges: readonly Edge[], from: string, to: string): string[] => {
  const dependenciesOf = Map.groupBy(edges, ({ card_id }) => card_id);
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  // A breadth-first search: the map iterates in the order of insertion, and the loop visits cards that are added during
  // it.
  for (const id of cameFrom.keys()) {
    if (id === to) return pathTo(to, cameFrom);
    for (const { depends_on_card_id: next } of dependenciesOf.get(id) ?? []) {
      if (!cameFrom.has(next)) cameFrom.set(next, id);
    }
  }
  throw new Error('The edges do not connect the two cards');
};

const pathTo = (end: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] => {
  const path: string[] = [];
  for (let id: string | undefined = end; id !== undefined; id = cameFrom.get(id)) path.push(id);
  return path.reverse();
};
