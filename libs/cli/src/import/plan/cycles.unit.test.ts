import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Edge, withoutCycles } from './cycles.ts';

it('keeps what closes no cycle, and says which way round the others go', () => {
  const edges: Edge[] = [
    ['A', 'B'],
    ['B', 'C'],
    ['C', 'A'],
    ['A', 'B'],
    ['C', 'D'],
    ['D', 'D'],
  ];
  const { kept, closing } = withoutCycles(edges);
  expect(kept).toEqual([
    ['A', 'B'],
    ['B', 'C'],
    ['C', 'D'],
  ]);
  expect(closing.map(({ cycle }) => cycle.join(' > '))).toEqual(['C > A > B > C', 'D > D']);
});

it('goes down a chain of 100,000', () => {
  const edges = Array.from({ length: 100_000 }, (_, n): Edge => [`${n}`, `${n + 1}`]);
  expect(withoutCycles(edges).kept).toHaveLength(100_000);
});

it('leaves no cycle, and nothing out that could have stayed', () => {
  const node = fc.constantFrom('A', 'B', 'C', 'D', 'E');
  fc.assert(
    fc.property(fc.array(fc.tuple(node, node), { maxLength: 15 }), (edges) => {
      const reaches = (graph: readonly Edge[], from: string, to: string, seen = new Set<string>()): boolean => {
        if (from === to) return true;
        seen.add(from);
        return graph.some(([a, b]) => a === from && !seen.has(b) && reaches(graph, b, to, seen));
      };
      const { kept, closing } = withoutCycles(edges);
      for (const [n, [from, to]] of kept.entries()) expect(reaches(kept.slice(0, n), to, from)).toBe(false);
      for (const { edge } of closing) expect(reaches(kept, edge[1], edge[0])).toBe(true);
      expect(new Set([...kept, ...closing.map(({ edge }) => edge)].map(String))).toEqual(new Set(edges.map(String)));
    }),
  );
});
