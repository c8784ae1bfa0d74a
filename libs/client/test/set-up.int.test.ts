import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchFolder, sharedStack } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { createClient } from '../src/index.ts';

/** Before the example: prints the method of each of its requests when it ends. */
const counting = `
const { fetch } = globalThis;
const methods = [];
globalThis.fetch = (request, init) => {
  methods.push(init?.method ?? request.method);
  return fetch(request, init);
};
process.on('exit', () => console.log(JSON.stringify(methods)));
`;

it('sets a workspace up once, and only reads when it is run again', async () => {
  const stack = await sharedStack();
  const token = await stack.token({ workspace: crypto.randomUUID() });
  const client = createClient({ baseUrl: stack.baseUrl, token });
  const program = join(scratchFolder('set-up'), 'set-up.ts');
  const example = await readFile(join(import.meta.dirname, '../examples/set-up.ts'), 'utf8');
  const source = `'${new URL('../src/index.ts', import.meta.url)}'`;
  await writeFile(program, counting + example.replace("'@cardinal/client'", source));
  /** Runs the example, and returns the methods of its requests. */
  const run = async (): Promise<string[]> => {
    const env = { CARDINAL_URL: stack.baseUrl, CARDINAL_TOKEN: token, NODE_NO_WARNINGS: '1' };
    return JSON.parse((await promisify(execFile)(process.execPath, [program], { env })).stdout);
  };
  /** Without the caller, whom the service notes a moment after the first request. */
  const named = async () => (await client.people.list().all()).filter(({ name }) => name !== null);
  const names = async () => {
    const boards = await client.boards.list().all();
    const columns = await Promise.all(boards.map(({ id }) => client.columns.list(id).all()));
    const others = [client.labels.list().all(), client.workstreams.list().all(), named()];
    const kinds = [boards, ...columns, ...(await Promise.all(others))];
    return kinds.map((kind) => kind.map(({ id, name }: { id: string; name: string | null }) => `${name} ${id}`).sort());
  };

  const first = await run();
  expect([first.length, first.filter((method) => method === 'POST').length]).toEqual([18, 12]);
  const made = await names();
  // The workspace has a default workstream, too.
  expect(made.map((kind) => kind.length)).toEqual([2, 3, 2, 2, 3, 1]);
  expect(await run()).toEqual(Array(6).fill('GET'));
  expect(await names()).toEqual(made);
});
