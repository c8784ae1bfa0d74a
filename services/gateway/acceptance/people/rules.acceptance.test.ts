import { randomUUID } from 'node:crypto';
import { eventually, sharedStack } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { type Body, type Client, clientOf, expectRefusal } from '../workspace.ts';

const stack = await sharedStack();

const add = (client: Client, body: Body): Promise<Body> => client.data(client.post('/people', { body }));
const get = async (client: Client, id: string): Promise<Body> => client.data(client.get(`/people/${id}`));
const namesOf = async (client: Client, query: string): Promise<string[]> =>
  (await client.all(`/people?${query}`)).map(({ name }) => name);

it('everybody of the workspace reads people, an admin adds and erases them, each edits oneself', async () => {
  const admin = await clientOf(stack);
  const { workspaceId: workspace } = admin;
  const maria = await add(admin, { name: 'Maria Silva', email: 'Maria@Example.com' });
  expect(maria).toEqual({
    id: maria.user_id,
    type: 'person',
    version: 1,
    user_id: maria.user_id,
    name: 'Maria Silva',
    email: 'maria@example.com',
    kind: 'person',
    first_seen: null,
    last_seen: null,
    erased_at: null,
  });
  const reader = await clientOf(stack, { workspace, scope: 'kanban:read' });
  expect(await get(reader, maria.id)).toEqual(maria);
  expect(await namesOf(reader, 'q=sil')).toEqual(['Maria Silva']);
  expect(await namesOf(reader, 'email=MARIA@example.com')).toEqual(['Maria Silva']);
  expect(await namesOf(reader, `user_id=${maria.id}&user_id=${randomUUID()}`)).toEqual(['Maria Silva']);
  const elsewhere = await clientOf(stack);
  expectRefusal(await elsewhere.get(`/people/${maria.id}`), 404, 'not_found');
  expect(await namesOf(elsewhere, 'q=sil')).toEqual([]);

  const writer = await clientOf(stack, { workspace, user: maria.id, scope: 'kanban:read kanban:write' });
  const other = await clientOf(stack, { workspace, scope: 'kanban:read kanban:write' });
  const rename = (by: Client, body: Body, ifMatch = 1) => by.patch(`/people/${maria.id}`, { ifMatch, body });
  expectRefusal(await rename(other, { name: 'Not me' }), 403, 'insufficient_scope');
  expectRefusal(await rename(writer, { kind: 'machine' }), 403, 'insufficient_scope');
  expectRefusal(await other.post('/people', { body: { name: 'Nobody' } }), 403, 'insufficient_scope');
  expectRefusal(await other.delete(`/people/${maria.id}`), 403, 'insufficient_scope');
  expect((await rename(writer, { name: 'Maria Santos' })).body.data).toMatchObject({
    name: 'Maria Santos',
    version: 2,
  });
  expectRefusal(await rename(admin, { name: 'Late' }), 412, 'precondition_failed');

  await add(admin, { name: 'Maria Santos' });
  expectRefusal(await admin.post('/people', { body: { name: 'x', email: 'MARIA@EXAMPLE.COM' } }), 409, 'conflict');
  expectRefusal(await admin.post('/people', { body: { name: 'x', user_id: maria.id } }), 409, 'conflict');
});

it('whoever comes with a token is noted with its claims, and renamed where they change', async () => {
  const admin = await clientOf(stack);
  const { workspaceId: workspace } = admin;
  const comes = async (user: string, claims: Body) => {
    const client = await clientOf(stack, { workspace, user, claims });
    expect((await client.get('/me')).status).toBe(200);
  };
  const user = randomUUID();
  await comes(user, { name: 'Ana', email: 'ana@example.com' });
  const seen = await eventually(() => get(admin, user));
  expect(seen).toMatchObject({ name: 'Ana', email: 'ana@example.com', kind: 'person' });
  expect(seen.first_seen).toEqual(expect.any(String));
  // An address that another has, and one that is not verified, are left out.
  const [twin, unverified, silent] = [randomUUID(), randomUUID(), randomUUID()];
  await comes(twin, { name: 'Twin', email: 'ANA@example.com' });
  await comes(unverified, { name: 'Unverified', email: 'boss@example.com', email_verified: false });
  await comes(silent, {});
  for (const [id, name] of [
    [twin, 'Twin'],
    [unverified, 'Unverified'],
    [silent, null],
  ] as const)
    expect(await eventually(() => get(admin, id))).toMatchObject({ name, email: null });
  await comes(user, { name: 'Ana Costa', email: 'ana@example.com' });
  await eventually(async () => expect(await get(admin, user)).toMatchObject({ name: 'Ana Costa' }));
});

it('a key is made for a person, and for a machine, which is called as the key', async () => {
  const admin = await clientOf(stack);
  const ana = await add(admin, { name: 'Ana' });
  const machine = randomUUID();
  for (const user_id of [ana.id, machine])
    await admin.data(admin.post('/api-keys', { body: { name: 'deploy bot', scope: 'kanban:read', user_id } }));
  expect(await get(admin, ana.id)).toMatchObject({ name: 'Ana', kind: 'person' });
  expect(await get(admin, machine)).toMatchObject({ name: 'deploy bot', kind: 'machine' });
});

it('an admin finds private boards without members, sees nothing of them, and takes one over', async () => {
  const admin = await clientOf(stack);
  const { workspaceId: workspace } = admin;
  const left = await clientOf(stack, { workspace, scope: 'kanban:read kanban:write' });
  const create = (by: Client, name: string, visibility: string): Promise<Body> =>
    by.data(by.post('/boards', { body: { name, visibility } }));
  const alone = await create(left, 'Alone', 'private');
  const shared = await create(left, 'Shared', 'private');
  await create(left, 'Open', 'workspace');
  await create(admin, 'Own', 'private');
  await left.data(left.put(`/boards/${shared.id}/members/${randomUUID()}`));
  const listed = async () => (await admin.all('/boards?mine=admin')).map(({ id }) => id);
  expect(await listed()).toEqual([alone.id]);
  expectRefusal(await left.get('/boards?mine=admin'), 403, 'insufficient_scope');
  expectRefusal(await admin.get(`/boards/${alone.id}`), 404, 'not_found');
  await admin.data(admin.put(`/boards/${alone.id}/members/${admin.userId}`, { body: { role: 'owner' } }));
  expect((await admin.data(admin.get(`/boards/${alone.id}`))).name).toBe('Alone');
  expect(await listed()).toEqual([]);
});
