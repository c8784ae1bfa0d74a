import { listBoards } from '@cardinal/contracts';
import { v5, v7 } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import { startGateway } from './gateway.ts';
import { startIssuer } from './issuer.ts';
import { signingKey } from './keys.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** An issuer, and a gateway that knows its URL alone. */
const setUp = async (environment: Record<string, string> = {}, path = '') => {
  const issuer = await startIssuer(path);
  stops.push(issuer.stop);
  const gateway = await startGateway({ TOKEN_ISSUER: issuer.url, TOKEN_AUDIENCE: 'cardinal', ...environment });
  stops.push(gateway.stop);
  let seen: unknown;
  gateway.serve(listBoards, ({ workspace_id, user_id }) => {
    seen = { workspace_id, user_id };
    return { items: [], next_cursor: null };
  });
  const [workspace_id, sub] = [v7(), v7()];
  return {
    issuer,
    gateway,
    tokenWith: (claims: Record<string, unknown> = {}) =>
      issuer.token({ aud: 'cardinal', workspace_id, sub, scope: 'kanban:read', ...claims }),
    status: async (token: string) => (await gateway.call({ path: '/boards', token })).status,
    /** The status of a write without If-Match: 403 without the scope, else 428. */
    mayWrite: async (token: string) =>
      (await gateway.call({ method: 'PATCH', path: `/cards/${v7()}`, token })).status === 428,
    caller: () => seen,
    ready: async () => (await gateway.root({ path: '/readyz?verbose' })).json.checks.keys,
  };
};

describe('an issuer', () => {
  it.each(['', '/', '/realms/work', '/tenant/v2.0/'])(
    'whose URL ends with "%s" publishes the place of its keys',
    async (path) => {
      const { issuer, tokenWith, status } = await setUp({}, path);
      expect(await status(await tokenWith())).toBe(200);
      expect(await status(await tokenWith())).toBe(200);
      expect(issuer.asked(`${path.replace(/\/$/, '')}/.well-known/openid-configuration`)).toBe(1);
      expect(issuer.asked('/keys')).toBe(1);
    },
  );

  it('may sign with another key, and withdraw one', async () => {
    const { issuer, tokenWith, status } = await setUp({ KEYS_MAX_AGE_MS: '600' });
    const former = await tokenWith();
    expect(await status(former)).toBe(200);
    issuer.conduct.keys.unshift(await signingKey('ES256'));
    const next = await tokenWith();
    await expect.poll(() => status(next), { interval: 50 }).toBe(200);
    expect(await status(former)).toBe(200);
    issuer.conduct.keys.pop();
    await expect.poll(() => status(former), { interval: 50 }).toBe(401);
    expect(await status(next)).toBe(200);
  });

  it('may sign with a key that nobody has seen: its tokens wait for the next look, which strangers do not use up', async () => {
    const { issuer, gateway, tokenWith, status } = await setUp();
    expect(await status(await tokenWith())).toBe(200);
    issuer.conduct.keys = [await signingKey('ES256')];
    const strangers = [
      await (await signingKey('ES256')).signClaims({ iss: 'https://elsewhere.example', aud: 'cardinal', exp: 2e9 }),
      await tokenWith({ exp: Math.floor(Date.now() / 1000) - 3_600 }),
    ];
    const next = await tokenWith();
    const seen = new Set<number>();
    const statusOfNext = async () => {
      expect(await Promise.all(strangers.map(status))).toEqual([401, 401]);
      const answer = await gateway.call({ path: '/boards', token: next });
      seen.add(answer.status);
      if (answer.status !== 503) return answer.status;
      expect(answer.json.error.code).toBe('unavailable');
      expect(answer.headers['retry-after']).toMatch(/^[1-5]$/);
      return answer.status;
    };
    await expect.poll(statusOfNext, { interval: 100, timeout: 20_000 }).toBe(200);
    expect([...seen]).toEqual([503, 200]);
    expect(issuer.asked('/keys')).toBe(2);
  });

  it('may put its keys elsewhere', async () => {
    const { issuer, tokenWith, status } = await setUp({ KEYS_MAX_AGE_MS: '600' });
    expect(await status(await tokenWith())).toBe(200);
    issuer.conduct.keysPath = '/other-keys';
    issuer.conduct.keys = [await signingKey('EdDSA')];
    const token = await tokenWith();
    await expect.poll(() => status(token), { interval: 50 }).toBe(200);
  });

  it('may come later than the gateway', async () => {
    const { issuer, tokenWith, status, ready, gateway } = await setUp();
    issuer.conduct.status.document = 503;
    const token = await tokenWith();
    expect(await status(token)).toBe(503);
    expect(await status(token)).toBe(503);
    expect(await ready()).toBe('failed');
    expect(gateway.log().match(/the keys of tokens cannot be had/g)).toHaveLength(1);
    issuer.conduct.status.document = 200;
    await expect.poll(() => status(token), { interval: 50 }).toBe(200);
    await expect.poll(ready, { interval: 50 }).toBe('ok');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['another name', { issuer: 'https://issuer.example' }, 'the issuer calls itself \\"https://issuer.example\\"'],
    ['no keys', { jwks_uri: undefined }, 'gives no discovery document'],
    ['keys that are no URL', { jwks_uri: '/keys' }, 'gives no discovery document'],
    ['keys in a file', { jwks_uri: 'file:///etc/keys.json' }, 'gives no discovery document'],
    ['keys that are not there', { jwks_uri: 'http://127.0.0.1:1/keys' }, '127.0.0.1:1 gives no keys (bad port)'],
  ])('that tells %s cannot be used, and the log says why', async (_, document, reason) => {
    const { issuer, gateway, tokenWith, status } = await setUp();
    issuer.conduct.document = document;
    expect(await status(await tokenWith())).toBe(503);
    expect(gateway.log()).toContain('the keys of tokens cannot be had: TOKEN_ISSUER: ');
    expect(gateway.log()).toContain(reason);
  });

  it('is not followed elsewhere', async () => {
    const { issuer, gateway, tokenWith, status } = await setUp();
    issuer.conduct.status.keys = 302;
    expect(await status(await tokenWith())).toBe(503);
    expect(gateway.log()).toContain('/keys answers 302');
  });

  it('does not cover tokens of others, or for other audiences', async () => {
    const { issuer, gateway, tokenWith, status } = await setUp({ TOKEN_AUDIENCE: 'cardinal, api://cardinal' });
    expect(await status(await tokenWith({ aud: ['account', 'api://cardinal'] }))).toBe(200);
    const wrong: [Record<string, unknown>, string][] = [
      [{ iss: `${issuer.url}/` }, 'unexpected \\"iss\\" claim value'],
      [{ aud: 'another' }, 'unexpected \\"aud\\" claim value'],
      [{ aud: undefined }, 'missing required \\"aud\\" claim'],
      [{ workspace_id: 'acme' }, 'the claim \\"workspace_id\\" is no UUID'],
      [{ workspace_id: undefined }, 'the claim \\"workspace_id\\" is missing'],
      [{ sub: undefined }, 'the claim \\"sub\\" is missing'],
    ];
    for (const [claims, reason] of wrong) {
      expect(await status(await tokenWith(claims))).toBe(401);
      expect(gateway.log()).toContain(reason);
    }
  });
});

describe('tokens of well-known issuers', () => {
  it('of Keycloak: roles of the client, a claim of the user', async () => {
    const { issuer, tokenWith, status, mayWrite, caller } = await setUp(
      {
        TOKEN_WORKSPACE_CLAIM: 'workspace',
        TOKEN_SCOPE_CLAIMS: 'resource_access.cardinal.roles',
        TOKEN_IDS: 'any',
      },
      '/realms/work',
    );
    const claims = { aud: ['cardinal', 'account'], scope: 'profile email kanban:admin', workspace: 'acme' };
    const roles = (...names: string[]) => ({ ...claims, resource_access: { cardinal: { roles: names } } });
    const sub = v7();
    expect(await status(await tokenWith({ ...roles('kanban:read'), sub }))).toBe(200);
    expect(caller()).toEqual({ workspace_id: v5('acme', v5(issuer.url, v5.URL)), user_id: sub });
    expect(await mayWrite(await tokenWith(roles('kanban:read')))).toBe(false);
    expect(await mayWrite(await tokenWith(roles('kanban:write')))).toBe(true);
    expect(await status(await tokenWith(claims))).toBe(403);
  });

  it('of Auth0: permissions, a claim with a URL for a name, a subject that is no UUID', async () => {
    const { issuer, tokenWith, status, mayWrite, caller } = await setUp(
      {
        TOKEN_AUDIENCE: 'https://api.cardinal.example',
        TOKEN_WORKSPACE_CLAIM: 'https://cardinal.example/workspace',
        TOKEN_SCOPE_CLAIMS: 'permissions',
        TOKEN_IDS: 'any',
      },
      '/',
    );
    const claims = {
      aud: ['https://api.cardinal.example', `${issuer.url}userinfo`],
      sub: 'auth0|5f7c8ec7',
      'https://cardinal.example/workspace': v7(),
      permissions: ['kanban:read', 'kanban:write'],
    };
    expect(await status(await tokenWith(claims))).toBe(200);
    expect(caller()).toEqual({
      workspace_id: claims['https://cardinal.example/workspace'],
      user_id: v5('auth0|5f7c8ec7', v5(issuer.url, v5.URL)),
    });
    expect(await mayWrite(await tokenWith(claims))).toBe(true);
    expect(await mayWrite(await tokenWith({ ...claims, permissions: [] }))).toBe(false);
  });

  it('of Entra ID: the tenant, the object id, roles and groups', async () => {
    const group = v7();
    const { tokenWith, status, mayWrite, caller } = await setUp(
      {
        TOKEN_WORKSPACE_CLAIM: 'tid',
        TOKEN_USER_CLAIM: 'oid',
        TOKEN_SCOPE_CLAIMS: 'roles,groups',
        TOKEN_SCOPE_MAP: JSON.stringify({ [group]: 'kanban:write' }),
      },
      '/tenant/v2.0',
    );
    const claims = { tid: v7(), oid: v7(), sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ', scp: 'access' };
    const token = await tokenWith({ ...claims, roles: ['kanban:read'] });
    expect(await status(token)).toBe(200);
    expect(caller()).toEqual({ workspace_id: claims.tid, user_id: claims.oid });
    expect(await mayWrite(token)).toBe(false);
    expect(await mayWrite(await tokenWith({ ...claims, groups: [v7(), group] }))).toBe(true);
    expect(await status(await tokenWith(claims))).toBe(403);
  });
});
