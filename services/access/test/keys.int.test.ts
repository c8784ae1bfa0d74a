import {
  apiKeysEnded,
  type Credential,
  createApiKey,
  getApiKey,
  hashOf,
  listApiKeys,
  revokeApiKey,
  revokeApiKeysOfUser,
  rotateApiKey,
  type Scope,
  verifyApiKeys,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { startAccess } from './support/access.ts';

const { bus } = await startAccess();

const credentialOf = (scope: Scope, more: Partial<Credential> = {}): Credential => ({
  scope,
  api_key: null,
  has_issuer: true,
  ...more,
});
const command = () => ({ id: v7(), fingerprint: 'f' });

const userOf = (scope: Scope = 'kanban:admin', workspace_id: string = v7()) => {
  const caller = { workspace_id, user_id: v7() };
  const credential = credentialOf(scope);
  const create = (body: object, more: object = {}) =>
    bus.call(createApiKey, {
      ...caller,
      credential,
      command: command(),
      body: { name: 'laptop', scope, ...body },
      ...more,
    } as never);
  const verify = async (text: string | null) =>
    (await bus.call(verifyApiKeys, { texts: [{ workspace_id, hash: hashOf(text ?? '') }] })).keys[0];
  return { ...caller, caller, credential, create, verify };
};

it('gives a key its text once', async () => {
  const { caller, create, verify, credential } = userOf();
  const once = { command: command() };
  const { resource } = await create({}, once);
  expect(resource).toMatchObject({ ...{ name: 'laptop', state: 'active' }, user_id: caller.user_id });
  expect(await verify(resource.key)).toMatchObject({ id: resource.id, user_id: caller.user_id });
  expect(await create({}, once)).toMatchObject({ replayed: true, resource: { id: resource.id, key: null } });
  const { key: _, ...shown } = resource;
  expect(await bus.call(getApiKey, { ...caller, credential, api_key_id: resource.id })).toEqual(shown);
  const { items } = await bus.call(listApiKeys, { ...caller, credential, filters: {}, page: { limit: 10 } });
  expect(items).toEqual([shown]);
});

it('ends a key that is revoked, and the former text of a rotated one after its grace', async () => {
  const { caller, create, verify, credential } = userOf('kanban:read');
  const ended: string[] = [];
  bus.onSignal(apiKeysEnded, ({ keys }) => void ended.push(...keys.map(({ id }) => id)));
  const { resource } = await create({});
  const rotate = (grace_seconds: number) =>
    bus.call(rotateApiKey, {
      ...caller,
      credential,
      api_key_id: resource.id,
      command: command(),
      body: { grace_seconds },
    });
  const second = (await rotate(3_600)).resource;
  expect([await verify(resource.key), await verify(second.key)]).toMatchObject([{ id: second.id }, { id: second.id }]);
  const third = (await rotate(0)).resource;
  expect([await verify(resource.key), await verify(second.key)]).toEqual([null, null]);
  expect(await verify(third.key)).toMatchObject({ id: third.id });
  const revoke = () => bus.call(revokeApiKey, { ...caller, credential, api_key_id: third.id });
  await revoke();
  await revoke();
  expect(await verify(third.key)).toBeNull();
  await expect.poll(() => ended).toEqual([third.id, third.id, third.id]);
});

it('revokes all keys of a user', async () => {
  const admin = userOf();
  const other = userOf('kanban:read', admin.workspace_id);
  const made = [await other.create({}), await other.create({})];
  const revoke = () =>
    bus.call(revokeApiKeysOfUser, {
      ...admin.caller,
      credential: admin.credential,
      command: command(),
      body: { user_id: other.user_id },
    });
  expect((await revoke()).resource).toEqual({ revoked: 2 });
  for (const { resource } of made) expect(await other.verify(resource.key)).toBeNull();
  expect((await revoke()).resource).toEqual({ revoked: 0 });
});

it.each([
  ['a wider scope', { body: { scope: 'kanban:write' } }, 'insufficient_scope'],
  ['another user', { body: { user_id: v7() } }, 'insufficient_scope'],
  ['an end in the past', { body: { expires_at: '2020-01-01T00:00:00Z' } }, 'validation_error'],
  ['an end too far away', { body: { expires_at: '2099-01-01T00:00:00Z' } }, 'validation_error'],
  ['no end', { body: { expires_at: null } }, 'validation_error'],
  ['a key beside an issuer', { credential: { api_key: { id: v7(), expires_at: null } } }, 'forbidden'],
])('makes no key with %s', async (_, { body = {}, credential = {} }: { body?: object; credential?: object }, code) => {
  const { create } = userOf('kanban:read');
  const made = create(body, { credential: credentialOf('kanban:read', credential) });
  await expect(made).rejects.toMatchObject({ code });
});

it('hides the keys of others, except from admins', async () => {
  const admin = userOf();
  const [one, other] = [userOf('kanban:read', admin.workspace_id), userOf('kanban:read', admin.workspace_id)];
  const { resource } = await one.create({});
  const read = (by: typeof one) =>
    bus.call(getApiKey, { ...by.caller, credential: by.credential, api_key_id: resource.id });
  await expect(read(other)).rejects.toMatchObject({ code: 'not_found' });
  expect(await read(admin)).toMatchObject({ id: resource.id });
});
