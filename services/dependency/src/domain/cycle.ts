/** One card depends on another. */
export interface Edge {
  card_id: string;
  depends_on_card_id: string;
}

/**
 * A shortest chain of dependencies from one card to another.
 * @param edges all that may be part of it
 * @returns the cards of the chain, both ends included
 * @throws Error where the edges do not connect the two
 */
export const shortestChain = (edges: readonly Edge[], from: string, to: string): string[] => {
  const dependenciesOf = Map.groupBy(edges, ({ card_id }) => card_id);
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  // The map keeps the order in which cards were reached, and the loop meets those added on the way.
  for (const id of cameFrom.keys()) {
    if (id === to) return chainTo(to, cameFrom);
    for (const { depends_on_card_id: next } of dependenciesOf.get(id) ?? []) {
      if (!cameFrom.has(next)) cameFrom.set(next, id);
    }
  }
  throw new Error('The edges do not connect the two cards');
};

const chainTo = (end: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] => {
  const chain: string[] = [];
  for (let id: string | undefined = end; id !== undefined; id = cameFrom.get(id)) chain.push(id);
  return chain.reverse();
};
