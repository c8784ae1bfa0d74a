import { getBoard, listBoards } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import { signingKey } from './keys.ts';
import { aBoard } from './resources.ts';

describe('the rate limit of requests', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ RATE_LIMIT_MAX: '3', RATE_LIMIT_WINDOW_MS: '60000' });
    gateway.serve(listBoards, () => ({ items: [], next_cursor: null }));
  });

  it('counts per workspace and user, for all operations and tokens together', async () => {
    const ask = async (sent: string, token?: string) => gateway.call({ path: sent, ...(token ? { token } : {}) });
    const otherToken = await gateway.tokenFor({ scope: 'kanban:read' });
    expect((await ask('/boards')).status).toBe(200);
    expect((await ask('/nowhere')).status).toBe(404);
    expect((await ask('/boards', otherToken)).status).toBe(200);

    const answer = await ask('/boards', otherToken);
    expect(answer).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
    expect(answer.json.error.request_id).toBe(answer.headers['x-request-id']);
    expect(answer.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });
    expect(Number(answer.headers['ratelimit-reset'])).toBeGreaterThan(0);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.json.error.message).toContain('at most 3 requests in 60 s per user of a workspace');

    expect((await ask('/boards', await gateway.tokenFor({ user: v7() }))).status).toBe(200);
    expect((await ask('/boards', await gateway.tokenFor({ workspace: v7() }))).status).toBe(200);
    expect((await gateway.root({ path: '/healthz' })).status).toBe(200);
  });
});

describe('what is left of the rate limit', () => {
  const leftOf = ({ headers }: { headers: object }) => {
    const told = headers as Record<string, string>;
    expect(Number(told['ratelimit-reset'])).toBeGreaterThan(0);
    return `${told['ratelimit-remaining']} of ${told['ratelimit-limit']}`;
  };

  it('comes with every answer to a valid token, and with no other', async () => {
    const gateway = await startGateway({ RATE_LIMIT_MAX: '8', RATE_LIMIT_WINDOW_MS: '60000' });
    gateway.serve(listBoards, () => ({ items: [], next_cursor: null }));
    gateway.serve(getBoard, () => aBoard({ name: 'x'.repeat(100_000) }));
    const ask = async (sent: string, method = 'GET', headers = {}) =>
      leftOf(await gateway.call({ method, path: sent, headers }));
    expect(await ask('/boards')).toBe('7 of 8');
    expect(await ask('/nowhere')).toBe('6 of 8');
    expect(await ask('/boards', 'DELETE')).toBe('5 of 8');
    expect(await ask('/%zz')).toBe('4 of 8');
    expect(await ask('/boards', 'GET', { expect: 'wonders' })).toBe('3 of 8');
    // Of two times 64 KiB.
    expect(await ask(`/boards/${v7()}`)).toBe('1 of 8');
    const stranger = await gateway.call({ path: '/boards', token: false });
    expect(stranger.status).toBe(401);
    expect(Object.keys(stranger.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    await gateway.stop();
  });

  it('is that of the workspace where it has less left; then all its users are refused', async () => {
    const gateway = await startGateway({ RATE_LIMIT_MAX: '1', RATE_LIMIT_WINDOW_MS: '60000' });
    gateway.serve(listBoards, () => ({ items: [], next_cursor: null }));
    const ask = async (token?: string) =>
      gateway.call({ path: '/boards', token: token ?? (await gateway.tokenFor({ user: v7() })) });
    const greedy = await gateway.tokenFor({ user: v7() });
    expect(leftOf(await ask(greedy))).toBe('0 of 1');
    // Requests over the user's own limit do not count for the workspace.
    for (let count = 0; count < 3; count += 1) expect((await ask(greedy)).status).toBe(429);
    for (let count = 0; count < 8; count += 1) expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
    expect(refused.json.error.message).toContain('at most 10 requests in 60 s per workspace');
    expect(leftOf(refused)).toBe('0 of 10');
    expect((await ask(await gateway.tokenFor({ workspace: v7() }))).status).toBe(200);
    await gateway.stop();
  });
});

describe('the rate limit of bytes', () => {
  it('counts each begun 64 KiB of an answer as a request', async () => {
    const gateway = await startGateway({ RATE_LIMIT_MAX: '10', RATE_LIMIT_WINDOW_MS: '60000' });
    const board = (bytes: number) => {
      const small = Buffer.byteLength(JSON.stringify({ data: aBoard({ name: '' }) }));
      return aBoard({ name: 'é'.repeat((bytes - small) / 2) });
    };
    const status = async (bytes: number) => {
      const answered = board(bytes);
      gateway.serve(getBoard, () => answered);
      return (await gateway.call({ path: `/boards/${answered.id}` })).status;
    };
    // 1 + 5 + 3: the tenth request is the last one.
    expect(await status(64 * 1024)).toBe(200);
    expect(await status(4 * 64 * 1024 + 2)).toBe(200);
    expect(await status(3 * 64 * 1024)).toBe(200);
    expect(await status(1024)).toBe(200);
    expect(await status(1024)).toBe(429);
    await gateway.stop();
  });
});

describe('the limit of an address', () => {
  const limits = { ADDRESS_LIMIT_MAX: '3', RATE_LIMIT_WINDOW_MS: '60000' };
  const start = async (environment: Record<string, string> = {}) => {
    const gateway = await startGateway({ ...limits, ...environment });
    gateway.serve(listBoards, () => ({ items: [], next_cursor: null }));
    return gateway;
  };
  const path = '/boards';

  it('counts requests without a valid token, and refuses none with one', async () => {
    const gateway = await start();
    const forged = await (await signingKey('EdDSA', gateway.key.jwk.kid)).sign();
    const tokens = await Promise.all(Array.from({ length: 8 }, () => gateway.tokenFor({ user: v7() })));
    for (const token of tokens) expect((await gateway.call({ path, token })).status).toBe(200);

    expect((await gateway.call({ path, token: forged })).status).toBe(401);
    expect((await gateway.call({ path, token: false })).status).toBe(401);
    expect((await gateway.call({ path: '/%zz', token: false })).status).toBe(401);
    for (const token of [forged, false] as const) {
      const answer = await gateway.call({ path, token });
      expect(answer).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
      expect(answer.json.error.message).toContain('without a valid token');
      expect(answer.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    // Users with a valid token work on, known before or not; health needs no token.
    const fresh = await gateway.tokenFor({ user: v7() });
    for (const token of [tokens[0] as string, fresh]) expect((await gateway.call({ path, token })).status).toBe(200);
    expect((await gateway.root({ path: '/healthz' })).status).toBe(200);
    await gateway.stop();
  });

  it('counts documents too, each begun 64 KiB as a request, and leaves health out', async () => {
    const gateway = await start();
    const status = async (path: string) => (await gateway.root({ path })).status;
    expect(await status('/nowhere')).toBe(404);
    expect(await status('/%zz')).toBe(400);
    // Of more than 64 KiB.
    expect(await status('/openapi.json')).toBe(200);
    for (const path of ['/openapi.json', '/docs/', '/docs/js/scalar.js', '/favicon.svg', '/nowhere', '/%zz']) {
      expect(await status(path), path).toBe(429);
    }
    expect((await gateway.call({ path, token: false })).status).toBe(429);
    expect((await gateway.call({ path })).status).toBe(200);
    expect(await status('/healthz')).toBe(200);
    await gateway.stop();
  });

  it('is not counted while tokens cannot be verified: no client caused that', async () => {
    const gateway = await start({ JWKS_URL: 'http://127.0.0.1:1/keys' });
    for (let count = 0; count < 5; count += 1) expect((await gateway.call({ path })).status).toBe(503);
    await gateway.stop();
  });

  const asFrom = (gateway: Gateway, address: string) =>
    gateway.call({ path, token: false, headers: { 'x-forwarded-for': address } }).then(({ status }) => status);

  it('ignores X-Forwarded-For by default', async () => {
    const gateway = await start();
    for (const address of ['1', '2', '3']) expect(await asFrom(gateway, `192.0.2.${address}`)).toBe(401);
    expect(await asFrom(gateway, '192.0.2.4')).toBe(429);
    await gateway.stop();
  });

  it('takes the address from a trusted proxy, and only the one that this proxy saw', async () => {
    const gateway = await start({ TRUST_PROXY: 'loopback' });
    for (let count = 0; count < 3; count += 1)
      expect(await asFrom(gateway, `198.51.100.${count}, 192.0.2.1`)).toBe(401);
    expect(await asFrom(gateway, '198.51.100.9, 192.0.2.1')).toBe(429);
    expect(await asFrom(gateway, '192.0.2.2')).toBe(401);
    // One network of IPv6 is one address.
    for (let count = 0; count < 3; count += 1) expect(await asFrom(gateway, `2001:db8::${count + 1}`)).toBe(401);
    expect(await asFrom(gateway, '2001:db8::ffff:1')).toBe(429);
    await gateway.stop();
  });
});
