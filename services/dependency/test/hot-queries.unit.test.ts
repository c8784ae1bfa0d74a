import { expect, test } from 'vitest';
import { addAgreeingEdges } from '../src/graph/agreeing-edges.ts';
import { readGraph, writeGraph } from '../src/graph/locked-graph.ts';

test.each([
  ['add-agreeing-edges', addAgreeingEdges],
  ['read-graph', readGraph],
  ['write-graph', writeGraph],
])('the statement of %s is the reviewed one', async (name, { text }) => {
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.sql`);
});
