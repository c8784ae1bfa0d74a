import { sharedStack } from '@cardinal/testkit';
import { expect, it, vi } from 'vitest';
import { createClient } from '../src/index.ts';

// The package is built when it is packed.
vi.mock('@cardinal/client', () => import('../src/index.ts'));

it('sets a workspace up once, and only reads when it is run again', async () => {
  const stack = await sharedStack();
  const token = await stack.token({ workspace: crypto.randomUUID() });
  vi.stubEnv('CARDINAL_URL', stack.baseUrl);
  vi.stubEnv('CARDINAL_TOKEN', token);
  const client = createClient({ baseUrl: stack.baseUrl, token });
  /** Runs the example, and returns the methods of its requests. */
  const run = async () => {
    const sent = vi.spyOn(globalThis, 'fetch');
    vi.resetModules();
    await import('../examples/set-up.ts');
    const methods = sent.mock.calls.map(([request, init]) => init?.method ?? (request as Request).method);
    sent.mockRestore();
    return methods;
  };
  const names = async () => {
    const boards = await client.boards.list().all();
    const columns = await Promise.all(boards.map(({ id }) => client.columns.list(id).all()));
    const others = [client.labels.list().all(), client.workstreams.list().all(), client.people.list().all()];
    const kinds = [boards, ...columns, ...(await Promise.all(others))];
    return kinds.map((kind) => kind.map(({ id, name }: { id: string; name: string | null }) => `${name} ${id}`).sort());
  };

  const first = await run();
  expect([first.length, first.filter((method) => method === 'POST').length]).toEqual([18, 12]);
  const made = await names();
  // The workspace has a default workstream, and the caller may be a person of it.
  expect(made.slice(0, 4).map((kind) => kind.length)).toEqual([2, 3, 2, 2]);
  expect(await run()).toEqual(Array(6).fill('GET'));
  expect(await names()).toEqual(made);
});
