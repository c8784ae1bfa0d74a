import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, it } from 'vitest';
import type { Api } from './api.ts';
import { lineTransport, maxLineBytes } from './lines.ts';
import { mcpServer } from './server.ts';

const failing = (error: unknown) => {
  throw error;
};
const nothing: Api = async () => ({ status: 200, headers: {}, body: { data: [], page: { next_cursor: null } } });

/** The lines that a server writes to what is piped into it, whose end comes at once. */
const answered = async (lines: readonly unknown[], api = nothing): Promise<string[]> => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = lineTransport(input, output);
  const ended = text(output);
  serveStdio(() => mcpServer(api, { version: '1', onError: failing }), { transport });
  const close = transport.onclose;
  transport.onclose = () => {
    close?.();
    output.end();
  };
  input.end(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return (await ended).trim().split('\n');
};

const opening = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const asking = (id: unknown, method: string, rest: object = {}) => ({ jsonrpc: '2.0', id, method, ...rest });

it('answers whatever has an id, also where the input ends before', async () => {
  const me = { name: 'who_am_i', arguments: null };
  const lines = await answered([
    opening,
    asking(2, 'tools/list', { params: null }),
    asking('three', 'tools/call', { params: me }),
    asking(4, 'no/such'),
    { jsonrpc: '2.0', id: 5 },
    { id: 6, method: 'ping' },
    asking(7, 'ping', { params: 'x' }),
    [asking(8, 'ping'), asking(9, 'ping', { params: [] })],
    '{"jsonrpc": "2.0", "id": 10, "meth',
    asking(11, 'ping', { params: { _meta: null } }),
  ]);
  const answers = lines.map((line) => JSON.parse(line));
  const ids = answers.map(({ id }) => id);
  expect(new Set(ids)).toEqual(new Set([1, 2, 'three', 4, 5, 6, 7, 8, 9, null, 11]));
  expect(ids).toHaveLength(11);
  const refused = answers.filter(({ error }) => error).map(({ id, error }) => [id, error.code]);
  expect(new Map(refused as [unknown, number][])).toEqual(
    new Map<unknown, number>([
      [4, -32_601],
      [5, -32_600],
      [6, -32_600],
      [7, -32_602],
      [null, -32_700],
    ]),
  );
});

it('writes no line that readers of 64 KiB stop at, whatever is answered', async () => {
  const name = '界'.repeat(240);
  const boards = Array.from({ length: 100 }, (_, at) => ({ id: `${at}`, name, description: '"'.repeat(20_000) }));
  const api: Api = async () => ({ status: 200, headers: {}, body: { data: boards, page: { next_cursor: null } } });
  const calls = [
    asking(2, 'tools/list'),
    asking(3, 'resources/list'),
    asking(4, 'tools/call', { params: { name: 'list_boards', arguments: { limit: 100 } } }),
    asking(5, 'tools/call', { params: { name: 'none', arguments: { ['x'.repeat(80_000)]: 1 } } }),
    asking(6, 'tools/call', { params: { name: 'list_boards', arguments: { ['x'.repeat(80_000)]: 1 } } }),
    asking(7, 'resources/read', { params: { uri: `cardinal://card/${'x'.repeat(80_000)}` } }),
  ];
  const lines = await answered([opening, ...calls], api);
  expect(lines).toHaveLength(7);
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(maxLineBytes);
  const cut = JSON.parse(lines.find((line) => JSON.parse(line).id === 6) ?? '');
  expect(cut.error?.message ?? '').toContain('more than a line may have');
});
