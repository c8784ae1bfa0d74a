import { readFileSync } from 'node:fs';
import { serviceNames } from '@cardinal/contracts';
import { runStatements } from '@cardinal/servers';
import { eventually, rounds, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { wipeBroker } from '../restored/drill.ts';
import { filesWith, tablesWith } from '../restored/kept.ts';
import { copySchema, restoreSchema } from '../restored/schema-copy.ts';
import { type Body, Client, clientOf, expectRefusal, untilAnswered } from '../workspace.ts';

/** How long a gateway knows a key without asking, twice that. */
const maxAgeMs = 2_000;

let world: World;
let admin: Client;
/** Every text that was given out. */
const texts: string[] = [];
beforeAll(async () => {
  const env = { gateway: { KEYS_MAX_AGE_MS: String(maxAgeMs), RATE_LIMIT_MAX: '1000000', LOG_LEVEL: 'trace' } };
  world = await startWorld({ apart: true, env });
  admin = await clientOf(world);
  return () => world.stop();
});

const create = async (): Promise<{ id: string; client: Client }> => {
  const body = { name: 'laptop', scope: 'kanban:admin' };
  const { id, key } = (await untilAnswered(() => admin.post('/api-keys', { body }))).body.data;
  texts.push(key);
  return { id, client: new Client(world, admin.workspaceId, admin.userId, key) };
};
const me = (client: Client) => untilAnswered(() => client.get('/me'));
const revoke = async (id: string) =>
  expect((await untilAnswered(() => admin.delete(`/api-keys/${id}`))).status).toBe(204);
const stateOf = async (id: string): Promise<string> =>
  (await untilAnswered(() => admin.get(`/api-keys/${id}`))).body.data.state;

describe('the database of the access service is set back', () => {
  it('a key that was revoked after the copy stays revoked, at once and later', async () => {
    for (let round = 0; round < rounds(20, 4); round += 1) {
      const { id, client } = await create();
      expect((await me(client)).status).toBe(200);
      await copySchema(world, 'access');
      await revoke(id);
      await restoreSchema(world, 'access');
      expectRefusal(await me(client), 401, 'unauthenticated');
    }
  });

  it('the former text of a rotated key is not accepted, the new one is', async () => {
    const { id, client } = await create();
    await copySchema(world, 'access');
    const { key } = (await untilAnswered(() => client.post(`/api-keys/${id}/rotate`, { body: {} }))).body.data;
    texts.push(key);
    // Long enough ago for the lineage to recognize the rollback, and the list to show it.
    await eventually(async () => expect(await ticksSinceCopy()).toBeGreaterThan(0));
    await restoreSchema(world, 'access');
    expectRefusal(await me(client), 401, 'unauthenticated');
    expect((await me(new Client(world, admin.workspaceId, admin.userId, key))).status).toBe(200);
  });

  it('a key that was made after the copy is lost', async () => {
    await copySchema(world, 'access');
    const { client } = await create();
    await restoreSchema(world, 'access');
    await eventually(async () => expectRefusal(await me(client), 401, 'unauthenticated'));
  });

  it('keys are shown as revoked again', async () => {
    const { id } = await create();
    await copySchema(world, 'access');
    await revoke(id);
    await eventually(async () => expect(await ticksSinceCopy()).toBeGreaterThan(0));
    await restoreSchema(world, 'access');
    expect(await stateOf(id)).toBe('revoked');
  });
});

/** How often the database has ticked since its copy: a rollback is recognized by that. */
const ticksSinceCopy = async (): Promise<number> => {
  const [row] = await runStatements(world.adminUrl, [
    'select (select tick from access.lineage) - (select tick from backup_access.lineage) as ticks',
  ]);
  return Number((row as { ticks: string }).ticks);
};

it('the register is wiped and the database is not: a revoked key stays revoked, another one stays', async () => {
  const [revoked, stays] = [await create(), await create()];
  await revoke(revoked.id);
  await wipeBroker(world);
  expectRefusal(await me(revoked.client), 401, 'unauthenticated');
  expect((await me(stays.client)).status).toBe(200);
});

it('the access service is away: tokens and keys that were verified lately go on, others wait for it', async () => {
  const [lately, unknown] = [await create(), await create()];
  expect((await lately.client.get('/me')).status).toBe(200);
  await world.kill('access');
  const known = performance.now();
  const answer = await lately.client.get('/me');
  if (performance.now() - known < maxAgeMs / 4) expect(answer.status).toBe(200);
  const refused = await unknown.client.get('/me');
  expectRefusal(refused, 503, 'unavailable');
  expect(refused.headers.get('retry-after')).not.toBeNull();
  await eventually(async () => expectRefusal(await lately.client.get('/me'), 503, 'unavailable'));
  expect((await admin.get('/boards')).status).toBe(200);
  expectRefusal(await admin.get('/api-keys'), 503, 'unavailable');
  await world.restart('access');
  expect([(await me(lately.client)).status, (await me(unknown.client)).status]).toEqual([200, 200]);
});

// The last one: it looks at all that the others left.
it('no text is kept anywhere: not in logs, in the database or in the broker', async () => {
  const bodies = texts.map((text) => text.slice('cardinal_'.length));
  const wrong = new Client(world, admin.workspaceId, admin.userId, texts[0] ?? '');
  const answers: Body[] = [await wrong.get('/me'), await wrong.get(`/api-keys/${texts[0]}`)];
  for (const { text } of answers) expect(text).not.toContain(bodies[0]);
  const buffers = [...bodies, world.operatorKey].map((text) => Buffer.from(text));
  const logs = [...serviceNames, 'nats' as const].map((name) => world.logOf(name));
  expect(logs.filter((log) => buffers.some((one) => readFileSync(log).includes(one)))).toEqual([]);
  expect(filesWith(world.natsFolder, buffers)).toEqual([]);
  expect(await tablesWith(world, [...bodies, world.operatorKey])).toEqual([]);
  // The search itself finds what is there.
  expect(await tablesWith(world, [admin.workspaceId])).toContain('access.api_keys');
});
