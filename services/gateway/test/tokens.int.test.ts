import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listBoards } from '@cardinal/contracts';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import { audience, issuer, publish, type SigningKey, signingKey } from './keys.ts';

const noBoards = () => ({ items: [], next_cursor: null });

describe('with a key file', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.serve(listBoards, noBoards);
  });

  const status = async (token: string) => (await gateway.call({ path: '/boards', token })).status;

  it('accepts a valid token, also a second time', async () => {
    const token = await gateway.key.sign();
    expect(await status(token)).toBe(200);
    expect(await status(token)).toBe(200);
  });

  it.each(['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'application/jwt'])(
    'accepts a token of the type %s',
    async (typ) => {
      expect(await status(await gateway.key.sign({}, { typ }))).toBe(200);
    },
  );

  it('accepts a token that is good for a day', async () => {
    expect(await status(await gateway.key.sign({ expiresIn: 86_400, age: 0 }))).toBe(200);
    expect(await status(await gateway.key.sign({ expiresIn: 86_400 }))).toBe(200);
  });

  it('acts for the user and workspace of the token', async () => {
    const [workspace, user] = [v7(), v7()];
    let seen: unknown;
    gateway.serve(listBoards, (request) => {
      seen = request;
      return noBoards();
    });
    const token = await gateway.key.sign({ workspace: workspace.toUpperCase(), user: user.toUpperCase() });
    expect(await status(token)).toBe(200);
    expect(seen).toMatchObject({ workspace_id: workspace, user_id: user });
  });

  it('answers GET /me from the token alone: user, workspace, scopes and end', async () => {
    const [workspace_id, user_id] = [v7(), v7()];
    const who = { workspace: workspace_id, user: user_id };
    const scopes = ['kanban:read', 'kanban:write', 'kanban:admin'];
    for (const [count, scope] of scopes.entries()) {
      const token = await gateway.key.sign({ ...who, scope });
      const { exp = 0 } = decodeJwt(token);
      const answer = await gateway.call({ path: '/me', token });
      expect(answer.json.data).toEqual({
        user_id,
        workspace_id,
        scopes: scopes.slice(0, count + 1),
        token_expires_at: new Date(exp * 1000).toISOString(),
        api_key: null,
      });
    }
    expect(
      (await gateway.call({ path: '/me', token: await gateway.key.sign({ ...who, scope: 'other' }) })).status,
    ).toBe(403);
  });

  const wrong: [string, () => Promise<string>][] = [
    ['expired', () => gateway.key.sign({ expiresIn: -5 })],
    ['that was issued in the future', () => gateway.key.sign({ age: -60 })],
    ['without an expiry', () => gateway.key.sign({ expiresIn: null })],
    ['of another issuer', () => gateway.key.sign({ issuer: 'https://elsewhere.test' })],
    ['for another audience', () => gateway.key.sign({ audience: 'elsewhere' })],
    ['with a workspace that is no uuid', () => gateway.key.sign({ workspace: 'acme' })],
    ['with a subject that is no uuid', () => gateway.key.sign({ user: 'ada' })],
    ['with a scope that is neither text nor texts', () => gateway.key.sign({ scope: [['kanban:admin']] })],
    ['signed by a stranger under our key id', async () => (await signingKey('EdDSA', gateway.key.jwk.kid)).sign()],
    ['signed by an unknown key', async () => (await signingKey('EdDSA')).sign()],
    ['of an algorithm that is not allowed', async () => (await signingKey('PS256', gateway.key.jwk.kid)).sign()],
    [
      'that is not signed',
      async () =>
        new UnsecuredJWT({ workspace_id: v7(), scope: 'kanban:admin' })
          .setSubject(v7())
          .setIssuer(issuer)
          .setAudience(audience)
          .setExpirationTime('1h')
          .encode(),
    ],
    [
      'signed with the public key as a secret',
      () =>
        new SignJWT({ workspace_id: v7(), scope: 'kanban:admin' })
          .setProtectedHeader({ alg: 'HS256', kid: gateway.key.jwk.kid as string })
          .setSubject(v7())
          .setIssuer(issuer)
          .setAudience(audience)
          .setExpirationTime('1h')
          .sign(Buffer.from(gateway.key.jwk.x as string, 'base64url')),
    ],
    ['that is good for more than a day from now on', () => gateway.key.sign({ expiresIn: 86_500 })],
    ['that was made for more than a day', () => gateway.key.sign({ expiresIn: 60, age: 86_400 })],
    ['of another type', () => gateway.key.sign({}, { typ: 'logout+jwt' })],
    ['of a type that is no text', () => gateway.key.sign({}, { typ: 7 })],
    ['cut off', async () => (await gateway.key.sign()).slice(0, -4)],
    ['that is no JWT', async () => 'nonsense'],
  ];

  it.each(wrong)('refuses a token %s', async (_, make) => {
    const answer = await gateway.call({ path: '/boards', token: await make() });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(answer.json).toEqual({
      error: { code: 'unauthenticated', message: expect.any(String), request_id: answer.headers['x-request-id'] },
    });
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic dTpw', 'Bearer a b', 'Token abc'])(
    'refuses the Authorization header %j',
    async (authorization) => {
      const answer = await gateway.call({ path: '/boards', token: false, headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    },
  );

  it('takes the scheme in any letter case', async () => {
    const authorization = `bEARER  ${await gateway.key.sign()}`;
    expect((await gateway.call({ path: '/boards', token: false, headers: { authorization } })).status).toBe(200);
  });

  it('refuses two Authorization headers, even where the first one is valid', async () => {
    const right = `Bearer ${await gateway.key.sign()}`;
    const headers = { authorization: [right, 'Bearer other'] };
    expect((await gateway.call({ path: '/boards', token: false, headers })).status).toBe(401);
  });

  it('refuses a token from the moment that it expires', async () => {
    const second = Math.floor(Date.now() / 1_000) * 1_000;
    vi.useFakeTimers({ toFake: ['Date'], now: second });
    onTestFinished(() => void vi.useRealTimers());
    const token = await gateway.key.sign({ expiresIn: 10 });
    expect(await status(token)).toBe(200);
    // Clocks may differ by a second.
    vi.setSystemTime(second + 10_999);
    expect(await status(token)).toBe(200);
    vi.setSystemTime(second + 11_000);
    expect(await status(token)).toBe(401);
  });

  it('never logs a token', async () => {
    const token = await gateway.key.sign({ expiresIn: -5 });
    await status(token);
    expect(gateway.log()).toContain('"status":401');
    expect(gateway.log()).not.toContain(token.split('.')[2]);
    expect(gateway.log()).not.toContain('Bearer');
  });

  it.each<[string, string, string, number]>([
    ['', 'GET', '/boards', 403],
    ['kanban:other', 'GET', '/boards', 403],
    ['kanban:read', 'GET', '/boards', 200],
    ['kanban:write', 'GET', '/boards', 200],
    ['kanban:admin', 'GET', '/boards', 200],
    ['kanban:read', 'POST', '/boards', 403],
    ['kanban:read', 'PATCH', `/cards/${v7()}`, 403],
    ['kanban:read kanban:write', 'DELETE', `/cards/${v7()}`, 403],
    ['kanban:write', 'DELETE', `/boards/${v7()}`, 403],
    ['kanban:write', 'PATCH', `/cards/${v7()}`, 428],
    ['kanban:admin', 'DELETE', `/cards/${v7()}`, 428],
  ])('scope %j on %s %s: %i', async (scope, method, path, expected) => {
    const answer = await gateway.call({ method, path, token: await gateway.tokenFor({ scope }) });
    expect(answer.status).toBe(expected);
    if (expected !== 403) return;
    expect(answer.json.error.code).toBe('insufficient_scope');
    const challenge = /^Bearer error="insufficient_scope", scope="(kanban:\w+)"$/.exec(
      String(answer.headers['www-authenticate']),
    );
    const wider = await gateway.tokenFor({ scope: challenge?.[1] });
    expect((await gateway.call({ method, path, token: wider })).status).not.toBe(403);
  });

  it('accepts ES256 and RS256', async () => {
    const keys = [gateway.key, await signingKey('ES256'), await signingKey('RS256')];
    publish(gateway.jwksFile, keys);
    for (const key of keys) expect(await status(await key.sign())).toBe(200);
  });

  it('accepts a token that names no key where one of several fits', async () => {
    const second = await signingKey('EdDSA');
    const stranger = await signingKey('EdDSA');
    publish(gateway.jwksFile, [gateway.key, second]);
    expect(await status(await second.sign({}, { kid: null }))).toBe(200);
    expect(await status(await stranger.sign({}, { kid: null }))).toBe(401);
  });

  it('follows a rotation at once, and forgets the tokens of a withdrawn key', async () => {
    publish(gateway.jwksFile, [gateway.key]);
    const old = await gateway.key.sign();
    expect(await status(old)).toBe(200);

    const next = await signingKey('EdDSA');
    publish(gateway.jwksFile, [gateway.key, next]);
    expect(await status(await next.sign())).toBe(200);
    expect(await status(old)).toBe(200);

    publish(gateway.jwksFile, [next]);
    expect(await status(await next.sign())).toBe(200);
    expect(await status(old)).toBe(401);
    publish(gateway.jwksFile, [gateway.key]);
  });

  it('keeps the keys it has while the file is broken or gone', async () => {
    publish(gateway.jwksFile, [gateway.key]);
    expect(await status(await gateway.key.sign())).toBe(200);
    writeFileSync(gateway.jwksFile, '{"keys": [');
    expect(await status(await gateway.key.sign())).toBe(200);
    renameSync(gateway.jwksFile, `${gateway.jwksFile}.away`);
    expect(await status(await gateway.key.sign())).toBe(200);
    publish(gateway.jwksFile, [gateway.key]);
  });
});

describe('with a key server', () => {
  let gateway: Gateway;
  let published: SigningKey[] = [];
  const keyServer = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: published.map(({ jwk }) => jwk) }));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
    const { port } = keyServer.address() as AddressInfo;
    gateway = await startGateway({ JWKS_URL: `http://127.0.0.1:${port}/keys` });
    gateway.serve(listBoards, noBoards);
    published = [gateway.key];
  });
  afterAll(async () => {
    keyServer.close();
    await gateway.stop();
  });

  const status = async (token: string) => (await gateway.call({ path: '/boards', token })).status;

  it('verifies, follows a rotation after its cooldown, and verifies a known token without the server', async () => {
    const known = await gateway.key.sign();
    expect(await status(known)).toBe(200);
    const next = await signingKey('ES256');
    published = [gateway.key, next];
    const token = await next.sign();
    await expect.poll(() => status(token), { interval: 250 }).toBe(200);
    keyServer.close();
    keyServer.closeAllConnections();
    expect(await status(known)).toBe(200);
  });
});

describe('with a key server and a short memory', () => {
  it('refuses the tokens of a withdrawn key, even where no others are sent', async () => {
    const other = await signingKey('EdDSA');
    let published: SigningKey[] = [];
    const keyServer = createServer((_request, response) => {
      response.end(JSON.stringify({ keys: published.map(({ jwk }) => jwk) }));
    });
    await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
    const { port } = keyServer.address() as AddressInfo;
    const gateway = await startGateway({ JWKS_URL: `http://127.0.0.1:${port}/keys`, KEYS_MAX_AGE_MS: '600' });
    gateway.serve(listBoards, noBoards);
    const status = async (token: string) => (await gateway.call({ path: '/boards', token })).status;

    published = [gateway.key, other];
    const [withdrawn, kept] = [await gateway.key.sign(), await other.sign()];
    expect([await status(withdrawn), await status(kept)]).toEqual([200, 200]);
    published = [other];
    await expect.poll(() => status(withdrawn), { interval: 50 }).toBe(401);
    expect(await status(kept)).toBe(200);
    keyServer.close();
    await gateway.stop();
  });
});

describe('with a key server out of reach', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ JWKS_URL: 'http://127.0.0.1:1/keys' });
  });

  it('is unavailable, not unauthenticated', async () => {
    const answer = await gateway.call({ path: '/boards' });
    expect(answer.status).toBe(503);
    expect(answer.json.error.code).toBe('unavailable');
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  });
});
