import { getCard, patchCard } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Answer } from './http.ts';
import { calling, mcpClient } from './mcp-client.ts';
import { aCard } from './resources.ts';

const client = mcpClient();
const { accept, started, post } = client;
const toldBy = ({ json }: Answer) => JSON.parse(json.result.content[0].text);

describe('a message', () => {
  it('is answered as JSON; all requests that it causes have its request id', async () => {
    await started();
    const answer = await post(calling('list_boards'));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(toldBy(answer)).toEqual({
      about: expect.stringContaining('not instructions'),
      data: [],
      page: { next_cursor: null, has_more: false },
      notes: [],
    });
    const refused = await post(calling('read_card', { card: 'nonsense' }), { headers: { 'x-request-id': 'mine' } });
    expect(toldBy(refused).error).toMatchObject({ code: 'invalid_request', request_id: 'mine' });
    expect(await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({
      status: 202,
      text: '',
    });
    const unknown = await post({ jsonrpc: '2.0', id: 2, method: 'none/such' });
    expect(unknown.json).toMatchObject({ id: 2, error: { code: -32601 } });
  });

  it('needs a token, one message of JSON, and no more than a mebibyte', async () => {
    await started();
    const message = calling('list_boards');
    const refusal = (status: number, code: string) => ({ status, json: { error: { code } } });
    const bare = await post(message, { headers: { authorization: undefined } });
    expect(bare).toMatchObject({
      ...refusal(401, 'unauthenticated'),
      headers: { 'www-authenticate': expect.stringMatching(/^Bearer/) },
    });
    expect(await post(message, { headers: { authorization: 'Bearer none' } })).toMatchObject(
      refusal(401, 'unauthenticated'),
    );
    expect(await post([message, message])).toMatchObject(refusal(400, 'invalid_request'));
    expect(await post(message, { body: '{' })).toMatchObject(refusal(400, 'invalid_request'));
    expect(await post(message, { body: '' })).toMatchObject(refusal(400, 'invalid_request'));
    const plain = await post(message, { headers: { 'content-type': 'text/plain' } });
    expect(plain).toMatchObject(refusal(415, 'unsupported_media_type'));
    const large = await post(calling('list_boards', { cursor: 'x'.repeat(1024 * 1024) }));
    expect(large).toMatchObject(refusal(413, 'payload_too_large'));
  });

  it('is a POST: there are neither sessions nor streams', async () => {
    await started();
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await client.gateway.root({ method, path: '/mcp', headers: { accept } });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    }
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listen = {
      jsonrpc: '2.0',
      id: 3,
      method: 'subscriptions/listen',
      params: { _meta: meta, notifications: { toolsListChanged: true } },
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const answer = await post(listen, { headers });
    expect(answer.json).toMatchObject({ id: 3, error: { code: expect.any(Number) } });
  });
});

it('is 404 where MCP is off', async () => {
  await started({ MCP: 'false' });
  expect((await post(calling('list_boards'))).status).toBe(404);
});

it('is for pages of listed origins alone', async () => {
  await started({ CORS_ORIGINS: 'https://app.example.com' });
  const from = (origin: string) => post(calling('list_boards'), { headers: { origin } });
  for (const origin of ['https://evil.example.com', 'null', `http://127.0.0.1:${client.gateway.port}`, 'nonsense']) {
    expect(await from(origin)).toMatchObject({ status: 403, json: { error: { code: 'invalid_request' } } });
  }
  const answer = await from('https://app.example.com');
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': 'https://app.example.com' },
  });
  const preflight = await client.gateway.root({
    method: 'OPTIONS',
    path: '/mcp',
    headers: {
      origin: 'https://app.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,mcp-protocol-version',
    },
  });
  expect(preflight.headers['access-control-allow-headers']).toContain('mcp-protocol-version');
});

describe('limits', () => {
  it('count a call as the requests that it makes, and a message without any as one', async () => {
    await started({ RATE_LIMIT_MAX: '6', RATE_LIMIT_WINDOW_MS: '600000' });
    const card = aCard();
    client.gateway.serve(getCard, () => card);
    client.gateway.serve(patchCard, () => ({ resource: card, replayed: false }));
    const left = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);
    const before = left(await post(calling('list_boards')));
    expect(before).toBe(4);
    // It reads the version first, and the names of people last.
    const changed = await post(calling('update_card', { card: v7(), title: 'x' }));
    expect([toldBy(changed).error, left(changed)]).toEqual([undefined, 1]);
    expect(left(await post({ jsonrpc: '2.0', id: 1, method: 'ping' }))).toBe(0);
    expect(await post(calling('list_boards'))).toMatchObject({
      status: 429,
      json: { error: { code: 'rate_limited' } },
    });
  });

  it('refuse the requests of a call beyond them, with the way out', async () => {
    await started({ RATE_LIMIT_MAX: '2', RATE_LIMIT_WINDOW_MS: '600000' });
    client.gateway.serve(getCard, () => aCard());
    const answer = await post(calling('update_card', { card: v7(), title: 'x' }));
    expect(toldBy(answer).error).toMatchObject({
      code: 'rate_limited',
      what_to_do: expect.stringMatching(/^Wait \d+ s/),
    });
  });

  it('of bytes under way count a message with its requests, so that it never waits for itself', async () => {
    await started({ BYTES_UNDER_WAY: '1', REQUEST_TIMEOUT_MS: '5000' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(calling('list_boards'))));
    expect(answers.map(toldBy).map(({ data }) => data)).toEqual(Array(5).fill([]));
  });
});

it('answers what is under way while it stops', async () => {
  await started();
  const card = aCard();
  let release = () => {};
  const asked = new Promise<void>((resolve) => {
    client.gateway.serve(getCard, async () => {
      resolve();
      await new Promise<void>((go) => {
        release = go;
      });
      return card;
    });
  });
  client.gateway.serve(patchCard, () => ({ resource: card, replayed: false }));
  // The second request runs while the server stops.
  const under = post(calling('update_card', { card: card.id, title: 'x' }));
  await asked;
  const closed = client.gateway.app.close();
  release();
  expect(toldBy(await under).data).toMatchObject({ id: card.id });
  await closed;
});
