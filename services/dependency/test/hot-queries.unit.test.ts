import { expect, test } from 'vitest';
import { addAgreeingEdges } from '../src/graph/agreeing-edges.ts';

test('the statement that adds dependencies is the reviewed one', async () => {
  await expect(`${addAgreeingEdges.text}\n`).toMatchFileSnapshot('golden/add-agreeing-edges.sql');
});
