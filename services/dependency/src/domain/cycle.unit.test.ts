import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Edge, shortestChain } from './cycle.ts';

const cards = [...'abcdefgh'];
const edges = fc.array(
  fc.record({ card_id: fc.constantFrom(...cards), depends_on_card_id: fc.constantFrom(...cards) }),
  { maxLength: 30 },
);

/** Number of edges between any two cards (Floyd and Warshall). */
const distances = (all: readonly Edge[]) => {
  const known = new Map(all.map(({ card_id, depends_on_card_id }) => [card_id + depends_on_card_id, 1]));
  for (const card of cards) known.set(card + card, 0);
  const between = (from: string, to: string) => known.get(from + to) ?? Infinity;
  for (const via of cards)
    for (const from of cards)
      for (const to of cards) known.set(from + to, Math.min(between(from, to), between(from, via) + between(via, to)));
  return between;
};

test('the chain leads from one card to the other, along edges, and none is shorter', () => {
  fc.assert(
    fc.property(edges, fc.constantFrom(...cards), fc.constantFrom(...cards), (all, from, to) => {
      const distance = distances(all)(from, to);
      if (distance === Infinity) {
        expect(() => shortestChain(all, from, to)).toThrow('do not connect');
        return;
      }
      const chain = shortestChain(all, from, to);
      expect([chain[0], chain.at(-1), chain.length - 1]).toEqual([from, to, distance]);
      for (const [index, card_id] of chain.slice(0, -1).entries()) {
        expect(all).toContainEqual({ card_id, depends_on_card_id: chain[index + 1] });
      }
    }),
  );
});
