import { describe, expect, it } from 'vitest';
import { calling, mcpClient } from './mcp-client.ts';

const client = mcpClient();
const { started, post } = client;

describe('a message with an id', () => {
  const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
  const me = (given: unknown) => ({
    ...list,
    method: 'tools/call',
    params: { name: 'list_operations', arguments: given },
  });

  it.each([
    ['params null', { ...list, params: null }],
    ['an empty list of params, as PHP writes it', { ...list, params: [] }],
    ['a cursor and metadata of null, as Python writes them', { ...list, params: { cursor: null, _meta: null } }],
    ['metadata with a token of null', { ...list, params: { _meta: { progressToken: null } } }],
    ['arguments null', me(null)],
    ['arguments as an empty list', me([])],
    ['arguments as text', me('{"tag": null}')],
    ['params null of a call without any', { ...list, method: 'ping', params: null }],
  ])('has a result: %s', async (_, message) => {
    await started();
    const { status, json } = await post(message);
    expect([status, json.id, json.error]).toEqual([200, 7, undefined]);
  });

  it.each([
    ['no revision', { id: 7, method: 'tools/list' }, -32_600],
    ['no method', { jsonrpc: '2.0', id: 7 }, -32_600],
    ['a method that is no text', { ...list, method: 5 }, -32_600],
    ['params that are no object', { ...list, params: 'x' }, -32_602],
    ['a call of nothing', { ...list, method: 'tools/call' }, -32_602],
    ['an opening without what it needs', { ...list, method: 'initialize', params: null }, -32_603],
  ])('has a refusal under it: %s', async (_, message, code) => {
    await started();
    const { json } = await post(message);
    expect(json).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code, message: expect.any(String) } });
  });

  it('is answered under it even where the revision of the header is unknown', async () => {
    await started();
    const { status, json } = await post(list, { headers: { 'mcp-protocol-version': '1999-01-01' } });
    expect([status, json.id, typeof json.error.code]).toEqual([400, 7, 'number']);
  });
});

it('is answered wherever Accept allows JSON', async () => {
  await started();
  const statusOf = async (value: string | undefined) =>
    (await post(calling('list_boards'), { headers: { accept: value } })).status;
  for (const one of [
    undefined,
    '',
    'application/json',
    '*/*',
    'application/*',
    'text/html, application/json;q=0.1, */*;q=0',
  ])
    expect([one, await statusOf(one)]).toEqual([one, 200]);
  expect(await statusOf('Application/JSON;charset=utf-8')).toBe(200);
  for (const one of [
    'text/event-stream',
    'text/html',
    'application/json;q=0',
    '*/*, application/json; q=0.0',
    'nonsense',
  ])
    expect([one, await statusOf(one)]).toEqual([one, 406]);
});

describe('a client without a token', () => {
  const path = '/.well-known/oauth-protected-resource';
  const bare = (host: string) => post(calling('list_boards'), { headers: { authorization: undefined, host } });

  it('gets the issuer', async () => {
    await started({ TRUST_PROXY: 'loopback' });
    const { status, headers } = await bare('cardinal.example.com');
    expect(status).toBe(401);
    const metadata = `resource_metadata="http://cardinal.example.com${path}/mcp"`;
    expect(headers['www-authenticate']).toBe(`Bearer ${metadata}`);
    const expired = { authorization: 'Bearer nonsense', host: 'cardinal.example.com' };
    const refused = await post(calling('list_boards'), { headers: expired });
    expect(refused.headers['www-authenticate']).toBe(`Bearer error="invalid_token", ${metadata}`);
    const host = { host: 'cardinal.example.com', 'x-forwarded-proto': 'https' };
    const { json } = await client.gateway.root({ path: `${path}/mcp`, headers: host });
    expect(json).toEqual({
      resource: 'https://cardinal.example.com/mcp',
      resource_name: 'Cardinal',
      authorization_servers: ['https://issuer.test'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['kanban:read', 'kanban:write', 'kanban:admin'],
    });
    const { json: whole } = await client.gateway.root({ path, headers: { host: 'localhost:8080' } });
    expect(whole).toMatchObject({ resource: 'http://localhost:8080', authorization_servers: ['https://issuer.test'] });
  });

  it.each(['https://cardinal.localhost', 'our issuer'])('gets no issuer where that is %s', async (TOKEN_ISSUER) => {
    await started({ TOKEN_ISSUER, JWKS_URL: 'http://127.0.0.1:1/keys' });
    expect((await bare('localhost')).headers['www-authenticate']).toBe('Bearer');
    expect((await client.gateway.root({ path })).status).toBe(404);
  });
});

describe('a Host', () => {
  const statusOf = async (host: string) => (await post(calling('list_boards'), { headers: { host } })).status;

  it('that is no name of this machine is refused where the gateway listens on loopback', async () => {
    await started();
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '127.9.9.9', '[::1]:8080', 'my.localhost'])
      expect([host, await statusOf(host)]).toEqual([host, 200]);
    for (const host of [
      'evil.example.com',
      '10.0.0.1',
      'localhost.evil.com',
      '127.0.0.1.nip.io',
      'a@localhost@b',
      '[::2]',
    ])
      expect([host, await statusOf(host)]).toEqual([host, 403]);
  });

  it('may be any that a proxy passes on, and any where the gateway listens elsewhere', async () => {
    await started({ TRUST_PROXY: 'loopback' });
    expect(await statusOf('cardinal.example.com')).toBe(200);
    await client.gateway.stop();
    await started({ HOST: '0.0.0.0' });
    expect(await statusOf('cardinal.example.com')).toBe(200);
  });
});
