import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { serviceNames } from '@cardinal/contracts';
import { eventually, rounds, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { wipeBroker } from '../restored/drill.ts';
import { filesWith, tablesWith } from '../restored/kept.ts';
import { copySchema, restoreSchema } from '../restored/schema-copy.ts';
import { type Body, type Client, clientOf, untilAnswered } from '../workspace.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await startWorld({ apart: true, env: { gateway: { RATE_LIMIT_MAX: '1000000', LOG_LEVEL: 'trace' } } });
  admin = await clientOf(world);
  return () => world.stop();
});

/** Words that stand nowhere else. */
const newName = () => `Zq${randomUUID().replaceAll('-', '')}`;
/** A key for a person, with a name that is searched for later. */
const all: string[] = [];
const add = async (key: string = randomUUID(), user_id = randomUUID(), name = newName()) => {
  all.push(name, name.toLowerCase());
  const body = { name: `Maria ${name}`, email: `${name}@example.com`, user_id };
  const answer = await untilAnswered(() => admin.post('/people', { key, body }));
  return { id: user_id, name, key, body, answer };
};
const get = async (id: string): Promise<Body> => (await untilAnswered(() => admin.get(`/people/${id}`))).body.data;
const erase = async (id: string) => expect((await untilAnswered(() => admin.delete(`/people/${id}`))).status).toBe(204);
const found = async (name: string): Promise<number> =>
  (await untilAnswered(() => admin.get(`/people?q=${name}`))).body.data.length;
const erased = { name: 'somebody', email: null };

it('somebody erased stays erased where the database is set back, at once and later', async () => {
  for (let round = 0; round < rounds(20, 4); round += 1) {
    const [stays, goes] = [await add(), await add()];
    await copySchema(world, 'access');
    await erase(goes.id);
    await restoreSchema(world, 'access');
    expect(await get(goes.id)).toMatchObject(erased);
    expect([await found(goes.name), await found(stays.name)]).toEqual([0, 1]);
    await erase(stays.id);
  }
});

it('somebody whom the database forgot with their erasure is not named by a token again', async () => {
  await copySchema(world, 'access');
  const { id, name } = await add();
  await erase(id);
  await restoreSchema(world, 'access');
  const claims = { name: `Maria ${name}`, email: `${name}@example.com` };
  const client = await clientOf(world, { workspace: admin.workspaceId, user: id, claims });
  expect((await client.get('/me')).status).toBe(200);
  await eventually(async () => expect(await get(id)).toMatchObject(erased));
});

it('the register is wiped and the database is not: who is erased stays erased, also after a later fall', async () => {
  const goes = await add();
  await copySchema(world, 'access');
  await erase(goes.id);
  await wipeBroker(world);
  expect(await get(goes.id)).toMatchObject(erased);
  // The service writes its marks again with the next write.
  await erase((await add()).id);
  await restoreSchema(world, 'access');
  expect(await get(goes.id)).toMatchObject(erased);
});

// The last one: it looks at all that the others left.
it('no name stands anywhere: not in databases, in the broker or in logs, nor in replays', async () => {
  const claims = { name: newName(), email: `${newName()}@example.com` };
  const { workspaceId: workspace } = admin;
  const came = await clientOf(world, { workspace, claims });
  all.push(claims.name, claims.email.toLowerCase());
  const board = await came.data(came.post('/boards', { body: { name: 'Launch', visibility: 'private' } }));
  const { id, name, key, body, answer } = await add();
  await admin.data(admin.put(`/boards/${board.id}/members/${id}`));
  const patched = { ifMatch: answer.body.data.version, body: { name: `Maria S. ${name}` } };
  expect((await admin.patch(`/people/${id}`, patched)).status).toBe(200);
  await eventually(async () => expect(await found(claims.name)).toBe(1));
  // The search itself finds what is there.
  expect((await tablesWith(world, [name, name.toLowerCase()])).filter((one) => !one.startsWith('backup_'))).toEqual([
    'access.people',
    'access.people_words',
  ]);
  await erase(id);
  await erase(came.userId);
  const replay = await admin.post('/people', { key, body });
  expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(replay.text).not.toContain(name);

  const tables = (await tablesWith(world, all)).filter((one) => !one.startsWith('backup_'));
  expect(tables).toEqual([]);
  const buffers = all.map((text) => Buffer.from(text));
  expect(filesWith(world.natsFolder, buffers)).toEqual([]);
  const logs = [...serviceNames, 'nats' as const].map((one) => world.logOf(one));
  expect(logs.filter((log) => buffers.some((one) => readFileSync(log).includes(one)))).toEqual([]);
});
