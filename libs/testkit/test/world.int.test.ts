import { readFileSync } from 'node:fs';
import { runStatements } from '@cardinal/local';
import { afterEach, describe, expect, it } from 'vitest';
import { api, eventually, startWorld, type World, type WorldOptions } from '../src/index.ts';

let world: World | undefined;
const begin = async (options?: WorldOptions) => {
  world = await startWorld(options);
  return world;
};

afterEach(async () => {
  await world?.stop();
  world = undefined;
});

describe('startWorld', () => {
  it('is a whole stack whose members can be killed and come back in their place', async () => {
    const { baseUrl, token, kill, restart, exited, adminUrl } = await begin();
    const client = api(baseUrl, await token());
    const made = await client.post('/boards', { body: { name: 'Kept' } });
    expect(made.status).toBe(201);

    await kill('card');
    expect((await exited('card')).signal).toBe('SIGKILL');
    expect((await client.get(`/boards/${made.body.data.id}`)).status).toBe(503);
    await restart('card');
    await eventually(async () => expect((await client.get(`/boards/${made.body.data.id}`)).status).toBe(200));

    await kill('nats');
    await restart('nats');
    await eventually(async () => expect((await client.get('/boards')).status).toBe(200), { timeoutMs: 20_000 });
    expect(await runStatements(adminUrl, ['select count(*) as boards from card.boards'])).toEqual([{ boards: 1 }]);
  });

  it('arms a failpoint, and restarts without it', async () => {
    const { baseUrl, token, exited, restart, logOf } = await begin({ failpoints: { card: 'before-commit' } });
    const client = api(baseUrl, await token());
    const board = await client.post('/boards', { body: { name: 'Launch' } });
    const column = await client.post(`/boards/${board.body.data.id}/columns`, { body: { name: 'To do' } });
    const key = 'the-same-request';
    const create = () => client.post(`/columns/${column.body.data.id}/cards`, { body: { title: 'Once' }, key });
    const cut = create();
    expect((await exited('card')).signal).toBe('SIGKILL');
    expect((await cut).status).toBe(503);
    await restart('card');
    const card = await eventually(async () => {
      const answer = await create();
      expect(answer.status).toBe(201);
      return answer;
    });
    expect(card.body.data.identifier).toBe('MAIN-1');
    expect(readFileSync(logOf('card'), 'utf8')).toContain('listening');
  });

  it('runs several instances and a Postgres of its own, and leaves none of them', async () => {
    const { baseUrls, token, kill, restart, stop, exited } = await begin({
      ownPostgres: true,
      instances: { card: 2, gateway: 2 },
    });
    const bearer = await token();
    const clients = baseUrls.map((url) => api(url, bearer));
    expect(clients).toHaveLength(2);
    await kill('card');
    for (const client of clients) {
      await eventually(async () => expect((await client.get('/boards')).status).toBe(200), { timeoutMs: 20_000 });
    }
    await kill('postgres');
    await restart('postgres');
    await eventually(async () => expect((await clients[0]?.get('/boards'))?.status).toBe(200), { timeoutMs: 20_000 });
    await stop();
    await Promise.all([exited('card-2'), exited('gateway-2'), exited('nats'), exited('postgres')]);
  });
});
