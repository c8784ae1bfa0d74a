/** One card depends on another. */
export interface Edge {
  card_id: string;
  depends_on_card_id: string;
}

/**
 * A card's position in its workspace's topological order, in which every card stands behind all that it depends on. As
 * long as such an order exists there is no cycle.
 */
export interface CardPosition {
  id: string;
  position: number;
}

const byPosition = (one: CardPosition, other: CardPosition) => one.position - other.position;

/**
 * Makes the order agree with a dependency that goes against it (D. J. Pearce, P. H. J. Kelly, "A Dynamic Topological
 * Sort Algorithm for Directed Acyclic Graphs", JEA 2007): the cards of the affected region trade the positions that
 * they have, and no other card moves.
 * @param dependencies the card that is to be waited for and all that it depends on, as far as they stand behind the
 * card that is to wait
 * @param dependents the card that is to wait and all that depend on it, as far as they stand before the other one
 * @returns the positions that change; no card is in both lists, or there would be a cycle
 */
export const reorder = (dependencies: readonly CardPosition[], dependents: readonly CardPosition[]): CardPosition[] => {
  const inOrder = [...dependencies.toSorted(byPosition), ...dependents.toSorted(byPosition)];
  const positions = inOrder.map(({ position }) => position).sort((one, other) => one - other);
  return inOrder
    .map(({ id }, index) => ({ id, position: positions[index] as number }))
    .filter(({ position }, index) => position !== inOrder[index]?.position);
};

/**
 * A shortest path of dependencies from one card to another.
 * @param edges all that may be part of it
 * @returns the cards of the path, both ends included
 * @throws Error where the edges do not connect the two
 */
export const shortestPath = (edges: readonly Edge[], from: string, to: string): string[] => {
  const dependenciesOf = Map.groupBy(edges, ({ card_id }) => card_id);
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  // The map keeps the order in which cards were reached, and the loop meets those added on the way.
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
