/** One card depends on another. */
export interface Edge {
  card_id: string;
  depends_on_card_id: string;
}

/**
 * A card's position in its workspace's topological order, in which every card comes after all its dependencies. While
 * such an order exists there is no cycle.
 */
export interface CardPosition {
  id: string;
  position: number;
}

const byPosition = (one: CardPosition, other: CardPosition) => one.position - other.position;

/**
 * Changes the order for a dependency that goes against it (D. J. Pearce, P. H. J. Kelly, "A Dynamic Topological Sort
 * Algorithm for Directed Acyclic Graphs", JEA 2007): the cards of the affected region exchange their positions, and no
 * other card moves.
 * @param dependencies the card to depend on and its dependencies, as far as they come after the dependent card
 * @param dependents the dependent card and its dependents, as far as they come before the other one
 * @returns the changed positions; no card is in both lists, as that would be a cycle
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
 * @param edges all edges that may be part of it
 * @returns the cards of the path, both ends included
 * @throws Error where the edges do not connect the two
 */
export const shortestPath = (edges: readonly Edge[], from: string, to: string): string[] => {
  const dependenciesOf = Map.groupBy(edges, ({ card_id }) => card_id);
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  // The map keeps the order in which cards were reached, and the loop visits cards that are added during it.
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
