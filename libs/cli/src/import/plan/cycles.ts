/** An edge: the first waits for the second. */
export type Edge = readonly [from: string, to: string];

type Graph = Map<string, string[]>;

const graphOf = (edges: readonly Edge[]): Graph => {
  const graph: Graph = new Map();
  for (const [from, to] of edges) {
    const targets = graph.get(from);
    if (targets) targets.push(to);
    else graph.set(from, [to]);
  }
  return graph;
};

/** Which strongly connected component each node is in (Tarjan 1972), with a stack of its own: chains may be long. */
const componentsOf = (graph: Graph): Map<string, number> => {
  const component = new Map<string, number>();
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const waiting: string[] = [];
  const lowest = (node: string, value: number) => low.set(node, Math.min(low.get(node) ?? value, value));
  for (const root of graph.keys()) {
    const path: { node: string; next: number }[] = index.has(root) ? [] : [{ node: root, next: 0 }];
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const { node } = step;
      if (step.next === 0) {
        index.set(node, index.size);
        lowest(node, index.get(node) ?? 0);
        waiting.push(node);
      }
      const target = graph.get(node)?.[step.next];
      step.next += 1;
      if (target !== undefined) {
        if (!index.has(target)) path.push({ node: target, next: 0 });
        else if (!component.has(target)) lowest(node, index.get(target) ?? 0);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) lowest(parent.node, low.get(node) ?? 0);
      if (low.get(node) !== index.get(node)) continue;
      for (let member = waiting.pop(); member !== undefined; member = waiting.pop()) {
        component.set(member, index.get(node) ?? 0);
        if (member === node) break;
      }
    }
  }
  return component;
};

const pathBetween = (graph: Graph, start: string, end: string): string[] | undefined => {
  const cameFrom = new Map([[start, start]]);
  const queue = [start];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    if (node === end) break;
    for (const target of graph.get(node) ?? []) {
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, node);
      queue.push(target);
    }
  }
  if (!cameFrom.has(end)) return undefined;
  const path = [end];
  for (let node = end; node !== start; ) {
    node = cameFrom.get(node) ?? start;
    path.unshift(node);
  }
  return path;
};

/**
 * Accepts edges in order, each once. Refuses edges that would close a cycle, and returns the keys on the cycle, the first one
 * again at the end. An edge from a node to itself is a cycle too.
 */
export const withoutCycles = (edges: readonly Edge[]): { kept: Edge[]; closing: { edge: Edge; cycle: string[] }[] } => {
  const component = componentsOf(graphOf(edges));
  const kept: Edge[] = [];
  const closing: { edge: Edge; cycle: string[] }[] = [];
  // Only edges within a component can close a cycle.
  const inside: Graph = new Map();
  const seen = new Set<string>();
  for (const edge of edges) {
    const [from, to] = edge;
    if (seen.has(`${from}\n${to}`)) continue;
    seen.add(`${from}\n${to}`);
    const within = component.get(from) === component.get(to);
    const back = within ? pathBetween(inside, to, from) : undefined;
    if (back) {
      closing.push({ edge, cycle: [from, ...back] });
      continue;
    }
    kept.push(edge);
    if (within) inside.set(from, [...(inside.get(from) ?? []), to]);
  }
  return { kept, closing };
};
