import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CardPosition, type Edge, reorder, shortestPath } from './rules.ts';

/** The service's graph in memory, with its rules, the positions that its statement gives, and its bounded searches. */
const orderedGraph = () => {
  const positions = new Map<string, number>();
  const edges: Edge[] = [];
  const bounds = { first: 0, last: 0 };
  let moved = 0;

  const reached = (
    start: string,
    next: (id: string) => string[],
    inWindow: (position: number) => boolean,
  ): CardPosition[] => {
    const found = new Set([start]);
    for (const id of found) for (const other of next(id)) if (inWindow(positions.get(other) ?? 0)) found.add(other);
    return [...found].map((id) => ({ id, position: positions.get(id) ?? 0 }));
  };
  const dependencies = (id: string) =>
    edges.filter((edge) => edge.card_id === id).map((edge) => edge.depends_on_card_id);
  const dependents = (id: string) => edges.filter((edge) => edge.depends_on_card_id === id).map((edge) => edge.card_id);

  /** Adds an edge. @returns false where it would close a cycle */
  const add = (edge: Edge): boolean => {
    const card = positions.get(edge.card_id) ?? bounds.last + 1;
    const dependsOn = positions.get(edge.depends_on_card_id) ?? bounds.first - 1;
    if (dependsOn > card) {
      const needed = reached(edge.depends_on_card_id, dependencies, (position) => position >= card);
      if (needed.some(({ id }) => id === edge.card_id)) return false;
      const waiting = reached(edge.card_id, dependents, (position) => position < dependsOn);
      const reordered = reorder(needed, waiting);
      moved += reordered.length;
      for (const { id, position } of reordered) positions.set(id, position);
    } else {
      positions.set(edge.card_id, card);
      positions.set(edge.depends_on_card_id, dependsOn);
    }
    bounds.first = Math.min(bounds.first, dependsOn);
    bounds.last = Math.max(bounds.last, card);
    edges.push(edge);
    return true;
  };
  const remove = (edge: Edge) => {
    const at = edges.findIndex((other) => same(other, edge));
    if (at >= 0) edges.splice(at, 1);
  };
  return { positions, edges, add, remove, bounds, moved: () => moved };
};

const same = (one: Edge, other: Edge) =>
  one.card_id === other.card_id && one.depends_on_card_id === other.depends_on_card_id;

/** Finds without an order whether a card depends on another, directly or not. */
const depends = (edges: readonly Edge[], from: string, on: string): boolean => {
  const seen = new Set([from]);
  for (const id of seen) for (const edge of edges) if (edge.card_id === id) seen.add(edge.depends_on_card_id);
  return seen.has(on);
};

const cards = fc.constantFrom(...'abcdefghijkl');
const step = fc.record({ add: fc.boolean(), card_id: cards, depends_on_card_id: cards });
const steps = fc.array(
  fc.oneof({ weight: 4, arbitrary: step.map((one) => ({ ...one, add: true })) }, { weight: 1, arbitrary: step }),
  { maxLength: 120 },
);

test('adding accepts exactly the dependencies that close no cycle, and keeps the order valid', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const graph = orderedGraph();
      for (const { add, ...edge } of all) {
        if (edge.card_id === edge.depends_on_card_id || graph.edges.some((other) => same(other, edge) && add)) continue;
        if (add) expect(graph.add(edge)).toBe(!depends(graph.edges, edge.depends_on_card_id, edge.card_id));
        else graph.remove(edge);

        for (const { card_id, depends_on_card_id } of graph.edges) {
          expect(graph.positions.get(card_id)).toBeGreaterThan(graph.positions.get(depends_on_card_id) ?? Infinity);
        }
        const positions = [...graph.positions.values()];
        expect(new Set(positions).size).toBe(positions.length);
        if (positions.length > 0) {
          expect(Math.min(...positions)).toBeGreaterThanOrEqual(graph.bounds.first);
          expect(Math.max(...positions)).toBeLessThanOrEqual(graph.bounds.last);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('a chain grows at either end, and no card moves', () => {
  const graph = orderedGraph();
  for (let index = 0; index < 50; index += 1) {
    expect(graph.add({ card_id: `up${index + 1}`, depends_on_card_id: `up${index}` })).toBe(true);
    expect(graph.add({ card_id: index ? `down${index}` : 'up0', depends_on_card_id: `down${index + 1}` })).toBe(true);
  }
  expect(graph.moved()).toBe(0);
});

test('dependencies between dependent cards and needed cards move no card', () => {
  const graph = orderedGraph();
  for (let step = 0; step < 100; step += 1) {
    expect(
      graph.add({ card_id: `waits${step % 10}`, depends_on_card_id: `needed${((step * 7 + step / 10) % 10) | 0}` }),
    ).toBe(true);
  }
  expect(graph.moved()).toBe(0);
});

test('only the cards of the affected region move, and they exchange their positions', () => {
  const needed = [at('n2', 8), at('n1', 5)];
  const waiting = [at('w1', 3), at('w2', 6)];
  expect(reorder(needed, waiting)).toEqual([at('n1', 3), at('n2', 5), at('w1', 6), at('w2', 8)]);
});

test('the result leaves out cards that keep their positions', () => {
  expect(reorder([at('n1', 2)], [at('w1', 1)])).toEqual([at('n1', 1), at('w1', 2)]);
  expect(reorder([at('n1', 1), at('n2', 4)], [at('w1', 3)])).toEqual([at('n2', 3), at('w1', 4)]);
});

const at = (id: string, position: number): CardPosition => ({ id, position });

const few = [...'abcdefgh'];
const anyEdges = fc.array(
  fc.record({ card_id: fc.constantFrom(...few), depends_on_card_id: fc.constantFrom(...few) }),
  { maxLength: 30 },
);

/** Computes the distance between any two cards, in edges (Floyd and Warshall). */
const distances = (all: readonly Edge[]) => {
  const known = new Map(all.map(({ card_id, depends_on_card_id }) => [card_id + depends_on_card_id, 1]));
  for (const card of few) known.set(card + card, 0);
  const between = (from: string, to: string) => known.get(from + to) ?? Infinity;
  for (const via of few)
    for (const from of few)
      for (const to of few) known.set(from + to, Math.min(between(from, to), between(from, via) + between(via, to)));
  return between;
};

test('the path connects the two cards along edges, and no other path is shorter', () => {
  fc.assert(
    fc.property(anyEdges, fc.constantFrom(...few), fc.constantFrom(...few), (all, from, to) => {
      const distance = distances(all)(from, to);
      if (distance === Infinity) {
        expect(() => shortestPath(all, from, to)).toThrow('do not connect');
        return;
      }
      const path = shortestPath(all, from, to);
      expect([path[0], path.at(-1), path.length - 1]).toEqual([from, to, distance]);
      for (const [index, card_id] of path.slice(0, -1).entries()) {
        expect(all).toContainEqual({ card_id, depends_on_card_id: path[index + 1] });
      }
    }),
  );
});
