import { expect, test } from 'vitest';
import { addAgreeingEdges } from '../src/store/statements/add-agreeing-edges.ts';
import { readGraph } from '../src/store/statements/read-graph.ts';
import { writeGraph } from '../src/store/statements/write-graph.ts';

test.each([
  ['add-agreeing-edges', addAgreeingEdges],
  ['read-graph', readGraph],
  ['write-graph', writeGraph],
])('the statement of %s is the reviewed one', async (name, { text }) => {
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.sql`);
});
