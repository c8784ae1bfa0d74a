import { readFileSync } from 'node:fs';
import { runStatements } from '@cardinal/servers';
import { expect, it, onTestFinished } from 'vitest';
import { api, eventually, startWorld } from '../src/index.ts';

it('starts a whole stack whose members can be killed, come back in their place, and are gone with it', async () => {
  const world = await startWorld({
    ownPostgres: true,
    instances: { gateway: 2 },
    failpoints: { card: 'before-commit' },
  });
  const { baseUrls, kill, restart, exited } = world;
  onTestFinished(() => world.stop());
  const token = await world.token();
  const [client, other] = baseUrls.map((url) => api(url, token)) as [ReturnType<typeof api>, ReturnType<typeof api>];
  const board = await client.post('/boards', { body: { name: 'Kept' } });
  const read = `/boards/${board.body.data.id}`;
  expect((await other.get(read)).status).toBe(200);
  const column = await client.post(`${read}/columns`, { body: { name: 'To do' } });

  const create = () =>
    client.post(`/columns/${column.body.data.id}/cards`, { body: { title: 'Once' }, key: 'the-same-request' });
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
  expect(readFileSync(world.logOf('card'), 'utf8')).toContain('listening');

  for (const name of ['nats', 'postgres'] as const) {
    await kill(name);
    expect((await exited(name)).signal).toBe('SIGKILL');
    expect((await other.get(read)).status).toBe(503);
    await restart(name);
    await eventually(async () => expect((await other.get(read)).status).toBe(200));
  }
  expect(await runStatements(world.adminUrl, ['select count(*) as boards from card.boards'])).toEqual([{ boards: 1 }]);

  await world.stop();
  await Promise.all((['gateway', 'gateway-2', 'card', 'nats', 'postgres'] as const).map(exited));
});
