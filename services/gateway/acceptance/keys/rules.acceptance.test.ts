import { randomUUID } from 'node:crypto';
import { newKeyText } from '@cardinal/contracts';
import { eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStream, readStream } from '../events/stream.ts';
import { assistantOf } from '../mcp/assistant.ts';
import { type Body, Client, clientOf, expectRefusal, together } from '../workspace.ts';

const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();

/** Creates a key and returns its user as a client, and the key. */
const withKey = async (maker: Client, given: Body = {}) => {
  const body = { name: 'laptop', scope: 'kanban:write', ...given };
  const { key, ...apiKey } = await maker.data(maker.post('/api-keys', { body }));
  return { client: new Client(maker.stack, maker.workspaceId, apiKey.user_id, key), apiKey, key: key as string };
};

describe('beside an issuer', () => {
  let world: World;
  let admin: Client;
  beforeAll(async () => {
    world = await startWorld();
    admin = await clientOf(world);
    return () => world.stop();
  });

  it('a key works wherever a token does, as its user and within its scope', async () => {
    const { client, apiKey } = await withKey(admin);
    const { user_id, id, name, expires_at } = apiKey;
    expect(await client.data(client.get('/me'))).toEqual({
      user_id,
      workspace_id: admin.workspaceId,
      scopes: ['kanban:read', 'kanban:write'],
      token_expires_at: expires_at,
      api_key: { id, name, expires_at },
    });
    const board = await client.data(client.post('/boards', { body: { name: 'Payments' } }));
    expect(await admin.data(admin.get(`/boards/${board.id}`))).toEqual(board);
    expectRefusal(await client.get('/webhooks'), 403, 'insufficient_scope');
    const assistant = await assistantOf(world, client, 'auto');
    expect((await assistant.call('who_am_i')).data).toMatchObject({ user_id, api_key: { id } });
    await assistant.client.close();
    expect(await eventually(async () => (await admin.get(`/api-keys/${id}`)).body.data)).toMatchObject({
      state: 'active',
      created_by: user_id,
      created_with: null,
    });
  });

  it('a key makes and ends no other, but itself', async () => {
    const { client, apiKey } = await withKey(admin, { scope: 'kanban:admin' });
    const other = await withKey(admin);
    const body = { name: 'born of a leak', scope: 'kanban:read' };
    const refused = [
      await client.post('/api-keys', { body }),
      await client.post(`/api-keys/${other.apiKey.id}/rotate`, { body: {} }),
      await client.delete(`/api-keys/${other.apiKey.id}`),
      await client.post('/api-keys/revoke', { body: { user_id: admin.userId } }),
    ];
    for (const answer of refused) expectRefusal(answer, 403, 'forbidden');
    const { key } = await client.data(client.post(`/api-keys/${apiKey.id}/rotate`, { body: {} }));
    const rotated = new Client(world, client.workspaceId, client.userId, key);
    expectRefusal(await client.get('/me'), 401, 'unauthenticated');
    expect((await rotated.delete(`/api-keys/${apiKey.id}`)).status).toBe(204);
    expectRefusal(await rotated.get('/me'), 401, 'unauthenticated');
  });

  it.each([
    ['another user', { user_id: randomUUID() }, 403, 'insufficient_scope'],
    ['a wider scope', { scope: 'kanban:write' }, 403, 'insufficient_scope'],
    ['a scope that there is not', { scope: 'kanban:root' }, 422, 'validation_error'],
    ['an end in the past', { expires_at: days(-1) }, 422, 'validation_error'],
    ['an end too far away', { expires_at: days(400) }, 422, 'validation_error'],
    ['no end', { expires_at: null }, 422, 'validation_error'],
    ['no name', { name: ' ' }, 422, 'validation_error'],
    ['a text of the caller', { key: newKeyText(randomUUID()) }, 422, 'validation_error'],
  ])('a reader gets no key with %s', async (_, more, status, code) => {
    const reader = await clientOf(world, { scope: 'kanban:read' });
    const body = { name: 'laptop', scope: 'kanban:read', ...more };
    expectRefusal(await reader.post('/api-keys', { body }), status, code);
    expect(await reader.all('/api-keys')).toEqual([]);
  });

  it('keys of others are like keys that never existed, except to admins', async () => {
    const { workspaceId: workspace } = admin;
    const [one, other] = [
      await clientOf(world, { workspace, scope: 'kanban:read' }),
      await clientOf(world, { workspace, scope: 'kanban:write' }),
    ];
    const { apiKey } = await withKey(one, { scope: 'kanban:read' });
    const asks = (by: Client, id: string) => [
      by.get(`/api-keys/${id}`),
      by.post(`/api-keys/${id}/rotate`, { body: {} }),
      by.delete(`/api-keys/${id}`),
    ];
    const strangers = [other, await clientOf(world)];
    for (const by of strangers) {
      for (const answer of await Promise.all([...asks(by, apiKey.id), ...asks(by, randomUUID())])) {
        expectRefusal(answer, 404, 'not_found');
        expect(answer.body.error.message).toBe('API key not found');
      }
      expect(await by.all('/api-keys')).toEqual([]);
    }
    expectRefusal(await other.get(`/api-keys?user_id=${one.userId}`), 403, 'insufficient_scope');
    expect(await admin.all(`/api-keys?user_id=${one.userId}`)).toEqual([apiKey]);
    expect((await one.get(`/api-keys/${apiKey.id}`)).body.data).toEqual(apiKey);
  });

  it.each([
    ['a wrong sum', (key: string) => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['a form of its own', () => 'cardinal_1234'],
    ['never made', (_key: string, workspace: string) => newKeyText(workspace)],
    ['of another workspace', () => newKeyText(randomUUID())],
    ['of what is no workspace', () => newKeyText('f'.repeat(32))],
  ])('a text is 401 with %s', async (_, spoil) => {
    const { key } = await withKey(admin);
    const liar = new Client(world, admin.workspaceId, admin.userId, spoil(key, admin.workspaceId));
    const answers = await together(3, () => liar.get('/boards'));
    for (const answer of answers) {
      expectRefusal(answer, 401, 'unauthenticated');
      expect(answer.text).not.toContain(liar.token);
    }
  });

  it('a revoked key ends streams, assistants and requests within a second', async () => {
    const { client, apiKey } = await withKey(admin);
    const { signal } = new AbortController();
    const streams = await together(16, () => openStream({ baseUrl: world.baseUrl, token: client.token, signal }));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    let open = streams.length;
    const ended = streams.map(async (stream) => {
      await readStream(stream, () => {}).catch(() => {});
      open -= 1;
    });
    let isRevoked = false;
    const late: number[] = [];
    let since = 0;
    // Requests that go on all the time: none succeeds a second after the answer to the DELETE.
    const going = together(8, async () => {
      for (;;) {
        const begun = performance.now();
        const { status } = await client.get('/me');
        if (status === 401) return;
        if (isRevoked && begun - since > 1_000) late.push(begun - since);
      }
    });
    expect(open).toBe(16);
    expect((await admin.delete(`/api-keys/${apiKey.id}`)).status).toBe(204);
    since = performance.now();
    isRevoked = true;
    await Promise.all([...ended, going]);
    expect(late).toEqual([]);
    await expect(assistantOf(world, client, 'auto')).rejects.toThrow();
    expectRefusal(await client.post('/files', { body: { name: 'late.txt' } }), 401, 'unauthenticated');
  });

  it('the last 14 days of a key are in a header', async () => {
    const { client, apiKey } = await withKey(admin, { expires_at: days(13) });
    expect((await client.get('/boards')).headers.get('cardinal-key-expires')).toBe(apiKey.expires_at);
    const { client: longer } = await withKey(admin, { expires_at: days(15) });
    expect((await longer.get('/boards')).headers.get('cardinal-key-expires')).toBeNull();
  });

  it('an admin ends all keys of somebody who leaves', async () => {
    const { workspaceId: workspace } = admin;
    const leaver = await clientOf(world, { workspace, scope: 'kanban:write' });
    const keys = await together(3, () => withKey(leaver));
    for (const { client } of keys) expect((await client.get('/me')).status).toBe(200);
    const body = { user_id: leaver.userId };
    expectRefusal(await leaver.post('/api-keys/revoke', { body }), 403, 'insufficient_scope');
    expect(await admin.data(admin.post('/api-keys/revoke', { body }))).toEqual({ revoked: 3 });
    await eventually(async () => {
      for (const { client } of keys) expect((await client.get('/me')).status).toBe(401);
    });
  });

  it('the operator key opens its one route', async () => {
    const operator = new Client(world, randomUUID(), randomUUID(), world.operatorKey);
    const body = { name: 'first', scope: 'kanban:admin' };
    expectRefusal(await operator.get('/me'), 401, 'unauthenticated');
    expectRefusal(await operator.post('/api-keys', { body }), 401, 'unauthenticated');
    for (const token of [admin.token, 'x'.repeat(40), `${world.operatorKey}x`]) {
      const other = new Client(world, admin.workspaceId, admin.userId, token);
      expectRefusal(await other.post('/operator/api-keys', { body }), 401, 'unauthenticated');
    }
    const made = await operator.data(operator.post('/operator/api-keys', { body }));
    const first = new Client(world, made.workspace_id, made.user_id, made.key);
    expect(await first.data(first.get('/me'))).toMatchObject({
      workspace_id: made.workspace_id,
      user_id: made.user_id,
      scopes: ['kanban:read', 'kanban:write', 'kanban:admin'],
    });
    for (const wrong of [{ ...body, expires_at: null }, { ...body, surprise: 1 }, { scope: 'kanban:read' }]) {
      expectRefusal(await operator.post('/operator/api-keys', { body: wrong }), 422, 'validation_error');
    }
  });
});

describe('without an issuer', () => {
  let world: World;
  let first: Client;
  beforeAll(async () => {
    world = await startWorld({ env: { gateway: { TOKEN_ISSUER: '', JWKS_FILE: '' } } });
    const operator = new Client(world, '', '', world.operatorKey);
    const body = { name: 'first', scope: 'kanban:write', expires_at: days(30) };
    const made = await operator.data(operator.post('/operator/api-keys', { body }));
    first = new Client(world, made.workspace_id, made.user_id, made.key);
    return () => world.stop();
  });

  it('takes no token', async () => {
    expectRefusal(await (await clientOf(world)).get('/me'), 401, 'unauthenticated');
  });

  it('a key makes others, within its scope and its end', async () => {
    const made = await withKey(first, { scope: 'kanban:read', expires_at: days(29) });
    const me = await first.data(first.get('/me'));
    expect(made.apiKey).toMatchObject({ created_with: me.api_key.id, created_by: first.userId });
    const refuse = (more: Body) => first.post('/api-keys', { body: { name: 'laptop', scope: 'kanban:read', ...more } });
    expectRefusal(await refuse({ scope: 'kanban:admin' }), 403, 'insufficient_scope');
    expectRefusal(await refuse({ user_id: randomUUID() }), 403, 'insufficient_scope');
    expectRefusal(await refuse({ expires_at: days(31) }), 422, 'validation_error');
    // Where none is asked for, it ends with its maker at the latest.
    expect((await withKey(first)).apiKey.expires_at).toBe(me.api_key.expires_at);
  });
});
