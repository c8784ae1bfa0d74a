/**
 * A card's place in its workspace's order, in which every card stands behind all that it depends on. As long as such an
 * order exists there is no cycle.
 */
export interface Place {
  id: string;
  position: number;
}

/** The lowest and the highest position given out in a workspace. */
export interface Bounds {
  first: number;
  last: number;
}

/** Positions of the two ends of a new dependency; undefined for a card that is not in the order yet. */
export interface Ends {
  card: number | undefined;
  dependsOn: number | undefined;
}

/**
 * Gives the ends of a new dependency a place in the order. A card without one has no dependencies, so it may go to
 * either end: behind all others when it will wait, before them when it is waited for. So most of those that wait stand
 * behind most of those that are waited for, and few later dependencies between them go against the order.
 * @returns both positions, and the bounds that then hold
 */
export const placeEnds = (ends: Ends, { first, last }: Bounds): { card: number; dependsOn: number; bounds: Bounds } => {
  const card = ends.card ?? last + 1;
  const dependsOn = ends.dependsOn ?? first - 1;
  return { card, dependsOn, bounds: { first: Math.min(first, dependsOn), last: Math.max(last, card) } };
};

const byPosition = (one: Place, other: Place) => one.position - other.position;

/**
 * Mends the order for a dependency that goes against it (D. J. Pearce, P. H. J. Kelly, "A Dynamic Topological Sort
 * Algorithm for Directed Acyclic Graphs", JEA 2007): the cards of the affected region share out the positions that they
 * have among them, and nobody else moves.
 * @param needed the card that is to be waited for and all that it depends on, as far as they stand behind the card that
 * is to wait
 * @param waiting the card that is to wait and all that depend on it, as far as they stand before the other one
 * @returns the places that change; no card is in both lists, or there would be a cycle
 */
export const mendOrder = (needed: readonly Place[], waiting: readonly Place[]): Place[] => {
  const inOrder = [...needed.toSorted(byPosition), ...waiting.toSorted(byPosition)];
  const positions = inOrder.map(({ position }) => position).sort((one, other) => one - other);
  return inOrder
    .map(({ id }, index) => ({ id, position: positions[index] as number }))
    .filter(({ position }, index) => position !== inOrder[index]?.position);
};
