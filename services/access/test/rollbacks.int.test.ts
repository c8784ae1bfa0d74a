import {
  addPerson,
  type Caller,
  type Credential,
  createApiKey,
  erasePerson,
  erasureKey,
  hashOf,
  keyMark,
  keyMarkKey,
  lineageKeyOf,
  lineage as lineageSchema,
  listPeople,
  notePeople,
  patchPerson,
  revokeApiKey,
  rotateApiKey,
  verifyApiKeys,
} from '@cardinal/contracts';
import { runStatements } from '@cardinal/servers';
import { aCaller, aCommand, atEndOfFile, eventually, testBus } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { startAccess } from './support/access.ts';

const { bus, urls, natsUrl, instance, start } = await startAccess();
const { register } = await testBus(natsUrl, 'access');
const credential: Credential = { scope: 'kanban:admin', api_key: null, has_issuer: true };

const create = async (by: Caller) => {
  const body = { name: 'laptop', scope: 'kanban:write' } as const;
  const { resource } = await bus.call(createApiKey, { ...by, credential, command: aCommand(), body });
  return { ...by, api_key_id: resource.id, text: resource.key ?? '' };
};
type Key = Awaited<ReturnType<typeof create>>;
const verify = async ({ workspace_id }: Caller, texts: string[]) =>
  (await bus.call(verifyApiKeys, { texts: texts.map((text) => ({ workspace_id, hash: hashOf(text) })) })).keys;
const revoke = ({ text: _, ...key }: Key) => bus.call(revokeApiKey, { ...key, credential });
const rotate = async ({ text: _, ...key }: Key): Promise<string> => {
  const asked = { ...key, credential, command: aCommand(), body: { grace_seconds: 0 } };
  return (await bus.call(rotateApiKey, asked)).resource.key ?? '';
};
const markOf = async ({ workspace_id, api_key_id }: Key) =>
  (await register.read(keyMarkKey(workspace_id, api_key_id), keyMark)).value;

const kept = ['api_keys', 'people', 'people_words', 'erasures_applied'];
const snapshot = () =>
  runStatements(
    urls.access,
    kept.flatMap((table) => [
      `drop table if exists kept_${table}`,
      `create table kept_${table} as select * from ${table}`,
    ]),
  );
let running: { stop: () => Promise<void> } = instance;
/** Rolls keys and people back to the snapshot while no instance runs, and starts one, which detects it. */
const rollBack = async (running: { stop: () => Promise<void> }) => {
  await running.stop();
  await runStatements(urls.access, [
    ...kept.toReversed().map((table) => `delete from ${table}`),
    ...kept.map((table) => `insert into ${table} select * from kept_${table}`),
  ]);
  const key = lineageKeyOf('access');
  const { value, revision } = await register.read(key, lineageSchema);
  const witness = value?.witnesses.access;
  if (!value || !witness) throw new Error('the database was met');
  await register.write(key, { ...value, witnesses: { access: { ...witness, tick: witness.tick + 100 } } }, revision);
  const started = await start();
  atEndOfFile(() => started.stop());
  return started;
};

it('keeps keys revoked and former texts ended behind a rollback of the database, also where the register was lost before', async () => {
  const by = aCaller();
  const [kept, revoked, rotated] = [await create(by), await create(by), await create(by)];
  await snapshot();
  await revoke(revoked);
  const next = await rotate(rotated);
  const made = await create(by);
  const texts = [kept.text, revoked.text, rotated.text, next, made.text];
  const seen = async () => (await verify(by, texts)).map((key) => key?.id ?? null);
  expect(await seen()).toEqual([kept.api_key_id, null, null, rotated.api_key_id, made.api_key_id]);

  const again = await rollBack(running);
  expect(await seen()).toEqual([kept.api_key_id, null, null, rotated.api_key_id, null]);

  for (const key of [
    lineageKeyOf('access'),
    ...[revoked, rotated].map((one) => keyMarkKey(by.workspace_id, one.api_key_id)),
  ]) {
    const { revision } = await register.read(key);
    await register.write(key, undefined, revision);
  }
  // The witness follows the next write, and the marks before it.
  await create(by);
  await eventually(async () => expect((await register.read(lineageKeyOf('access'))).value).toBeDefined());
  expect(await markOf(revoked)).toMatchObject({ left: null });
  expect(await markOf(rotated)).toMatchObject({ left: { hash: hashOf(next) } });
  expect(await markOf(kept)).toBeUndefined();
  running = await rollBack(again);
  expect(await seen()).toEqual([kept.api_key_id, null, null, rotated.api_key_id, null]);
});

it('keeps people erased behind a rollback of the database, also those whom it forgot, and where the register was lost before', async () => {
  const by = aCaller();
  const add = async (name: string, user_id = v7()) => {
    const body = { name, email: `${name}@example.com`, kind: 'person', user_id } as const;
    return (await bus.call(addPerson, { ...by, command: aCommand(), body })).resource.user_id;
  };
  const erase = (person_id: string) => bus.call(erasePerson, { ...by, person_id });
  const find = async (filters: object) =>
    (await bus.call(listPeople, { ...by, filters, page: { limit: 100 } })).items.map(({ name }) => name).sort();
  const [stays, goes] = [await add('stays'), await add('goes')];
  await snapshot();
  const forgotten = await add('forgotten');
  await erase(goes);
  await erase(forgotten);

  running = await rollBack(running);
  expect(await find({})).toEqual(['somebody', 'stays']);
  expect(await find({ q: 'goes' })).toEqual([]);
  const visit = {
    ...by,
    user_id: forgotten,
    name: 'Forgotten',
    email: null,
    issued_at: null,
    at: new Date().toISOString(),
  };
  await bus.call(notePeople, { people: [visit] });
  expect(await find({ user_id: forgotten })).toEqual(['somebody']);

  for (const key of [lineageKeyOf('access'), erasureKey(by.workspace_id, goes)]) {
    const { revision } = await register.read(key);
    await register.write(key, undefined, revision);
  }
  await bus.call(patchPerson, {
    ...by,
    person_id: stays,
    command: aCommand(),
    if_match: [1],
    is_admin: true,
    body: { name: 'stays here' },
  });
  await eventually(async () => expect((await register.read(lineageKeyOf('access'))).value).toBeDefined());
  running = await rollBack(running);
  expect(await find({})).toEqual(['somebody', 'stays']);
});
