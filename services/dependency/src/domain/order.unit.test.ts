import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Edge } from './cycle.ts';
import { type Bounds, mendOrder, type Place, placeEnds } from './order.ts';

/** The graph as the service keeps it, in memory: the rules of the domain, and searches that stay in the window. */
const ordered = () => {
  const positions = new Map<string, number>();
  const edges: Edge[] = [];
  let bounds: Bounds = { first: 0, last: 0 };
  let moved = 0;

  const reached = (start: string, next: (id: string) => string[], inWindow: (position: number) => boolean): Place[] => {
    const found = new Set([start]);
    for (const id of found) for (const other of next(id)) if (inWindow(positions.get(other) ?? 0)) found.add(other);
    return [...found].map((id) => ({ id, position: positions.get(id) ?? 0 }));
  };
  const dependencies = (id: string) =>
    edges.filter((edge) => edge.card_id === id).map((edge) => edge.depends_on_card_id);
  const dependents = (id: string) => edges.filter((edge) => edge.depends_on_card_id === id).map((edge) => edge.card_id);

  /** Adds an edge. @returns false where it would close a cycle */
  const add = (edge: Edge): boolean => {
    const ends = { card: positions.get(edge.card_id), dependsOn: positions.get(edge.depends_on_card_id) };
    const placed = placeEnds(ends, bounds);
    if (placed.dependsOn > placed.card) {
      const needed = reached(edge.depends_on_card_id, dependencies, (position) => position >= placed.card);
      if (needed.some(({ id }) => id === edge.card_id)) return false;
      const waiting = reached(edge.card_id, dependents, (position) => position < placed.dependsOn);
      const mended = mendOrder(needed, waiting);
      moved += mended.length;
      for (const { id, position } of mended) positions.set(id, position);
    } else {
      positions.set(edge.card_id, placed.card);
      positions.set(edge.depends_on_card_id, placed.dependsOn);
    }
    bounds = placed.bounds;
    edges.push(edge);
    return true;
  };
  const remove = (edge: Edge) => {
    const at = edges.findIndex((other) => same(other, edge));
    if (at >= 0) edges.splice(at, 1);
  };
  return { positions, edges, add, remove, bounds: () => bounds, moved: () => moved };
};

const same = (one: Edge, other: Edge) =>
  one.card_id === other.card_id && one.depends_on_card_id === other.depends_on_card_id;

/** What a cycle is, without any order. */
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

test('no cycle is accepted, no harmless dependency refused, and the order always holds', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const graph = ordered();
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
          expect(Math.min(...positions)).toBeGreaterThanOrEqual(graph.bounds().first);
          expect(Math.max(...positions)).toBeLessThanOrEqual(graph.bounds().last);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('a chain grows at either end without moving anybody', () => {
  const graph = ordered();
  for (let index = 0; index < 50; index += 1) {
    expect(graph.add({ card_id: `up${index + 1}`, depends_on_card_id: `up${index}` })).toBe(true);
    expect(graph.add({ card_id: index ? `down${index}` : 'up0', depends_on_card_id: `down${index + 1}` })).toBe(true);
  }
  expect(graph.moved()).toBe(0);
});

test('cards that wait and others that are waited for are joined in any way without moving anybody', () => {
  const graph = ordered();
  for (let step = 0; step < 100; step += 1) {
    expect(
      graph.add({ card_id: `waits${step % 10}`, depends_on_card_id: `needed${((step * 7 + step / 10) % 10) | 0}` }),
    ).toBe(true);
  }
  expect(graph.moved()).toBe(0);
});

test('only the affected region moves, and it keeps its positions among its cards', () => {
  const needed = [place('n2', 8), place('n1', 5)];
  const waiting = [place('w1', 3), place('w2', 6)];
  expect(mendOrder(needed, waiting)).toEqual([place('n1', 3), place('n2', 5), place('w1', 6), place('w2', 8)]);
});

test('whoever keeps its position is not written', () => {
  expect(mendOrder([place('n1', 2)], [place('w1', 1)])).toEqual([place('n1', 1), place('w1', 2)]);
  expect(mendOrder([place('n1', 1), place('n2', 4)], [place('w1', 3)])).toEqual([place('n2', 3), place('w1', 4)]);
});

const place = (id: string, position: number): Place => ({ id, position });
