import { randomUUID } from 'node:crypto';
import { clientVersion, createClient } from '@cardinal/client/source';
import { toolNames } from '@cardinal/mcp';
import { sharedStack } from '@cardinal/testkit';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentOf, main, startCli } from '../run-cli.ts';

const stack = await sharedStack();

const connected = async (mode: 'auto' | 'legacy', baseUrl: string, token: string) => {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, 'mcp'],
      env: environmentOf({ url: baseUrl, token }),
    }),
  );
  return {
    client,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever comes
    async call(name: string, given: Record<string, unknown> = {}): Promise<any> {
      const { content } = await client.callTool({ name, arguments: given });
      return JSON.parse((content as { text: string }[])[0]?.text ?? '');
    },
  };
};

const tokenOf = (scope: string, workspace: string = randomUUID()) =>
  stack.token({ workspace, user: randomUUID(), scope });

it('needs a token, says so in one line, and nothing on standard output', async () => {
  const { code, stdout, stderr } = await startCli(['mcp'], { url: stack.origin, token: '' }).ended;
  expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
  expect(stderr).toContain('no token');
});

it('ends with its input, and by a signal', async () => {
  const access = { url: stack.origin, token: await tokenOf('kanban:read') };
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const asked = startCli(['mcp'], access);
  asked.input.end(`${JSON.stringify(message)}\n`);
  const { code, stdout } = await asked.ended;
  expect([code, stdout === '' || JSON.parse(stdout).id === 1]).toEqual([0, true]);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const killed = startCli(['mcp'], access);
    killed.input.write(`${JSON.stringify(message)}\n`);
    await killed.answered;
    killed.kill(signal);
    expect((await killed.ended).code).toBeNull();
  }
});

describe.each(['auto', 'legacy'] as const)('over stdio, %s', (mode) => {
  let own: Awaited<ReturnType<typeof connected>>;
  const workspace = randomUUID();
  beforeAll(async () => {
    const token = await tokenOf('kanban:read kanban:write kanban:admin', workspace);
    own = await connected(mode, stack.origin, token);
  });
  afterAll(() => own.client.close());

  it('has every tool', async () => {
    const { tools } = await own.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(toolNames);
    expect(own.client.getServerVersion()).toMatchObject({ name: 'cardinal', version: clientVersion });
  });

  it('creates, transfers and finds a card by the identifier that it had, and deletes it', async () => {
    const called = async (operation: string, rest: object) =>
      (await own.call('call_operation', { operation, ...rest })).data;
    const board = await called('createBoard', { body: { name: 'Payments' } });
    const column = await called('createColumn', { params: { board_id: board.id }, body: { name: 'To do' } });
    const pay = await called('createWorkstream', { body: { name: 'Payments', prefix: 'PAY' } });
    const { data: card } = await own.call('create_card', { column_id: column.id, title: 'Refunds fail' });
    expect(card.identifier).toBe('MAIN-1');
    const moved = await own.call('transfer_card', { card: 'MAIN-1', workstream_id: pay.id, version: 1 });
    expect(moved.data.identifier).toBe('PAY-1');
    expect((await own.call('read_card', { card: 'main-1' })).data.id).toBe(card.id);
    await called('deleteCard', { params: { card_id: 'PAY-1' } });
    expect((await own.call('read_card', { card: 'MAIN-1' })).error.code).toBe('not_found');
  });
});

it('says once, in an answer, that the API key ends soon', async () => {
  const token = await tokenOf('kanban:write');
  const keys = createClient({ baseUrl: stack.origin, token }).keys;
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const { key } = await keys.create({ name: 'assistant', scope: 'kanban:write', expires_at });
  for (const mode of ['auto', 'legacy'] as const) {
    const { client, call } = await connected(mode, stack.origin, key ?? '');
    expect((await call('read_card', { card: 'MAIN-7' })).error.code).toBe('not_found');
    const { data, notes } = await call('list_boards');
    expect([data, notes]).toEqual([[], [expect.stringMatching(`ends at ${expires_at}; .*cardinal keys create`)]]);
    expect((await call('list_boards')).notes).toEqual([]);
    await client.close();
  }
});

it('refuses with a reason where the scope lacks, the token is invalid, or nobody answers', async () => {
  const reader = await connected('auto', stack.origin, await tokenOf('kanban:read'));
  const nobody = await connected('auto', stack.origin, 'none');
  const away = await connected('auto', 'http://127.0.0.1:1', 'none');
  const create = { operation: 'createBoard', body: { name: 'x' } };
  expect((await reader.call('call_operation', create)).error.code).toBe('insufficient_scope');
  expect((await nobody.call('list_boards')).error.code).toBe('unauthenticated');
  expect((await away.call('list_boards')).error).toMatchObject({
    code: 'connection_failed',
    message: expect.stringContaining('http://127.0.0.1:1'),
  });
  const transfer = { card: 'PAY-1', workstream_id: randomUUID(), version: 3, idempotency_key: 'mine' };
  const { error } = await away.call('transfer_card', transfer);
  expect(error.repeat_with).toEqual({ idempotency_key: 'mine', version: 3 });
  await Promise.all([reader, nobody, away].map(({ client }) => client.close()));
});
