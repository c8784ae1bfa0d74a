import { rmSync } from 'node:fs';
import { api, eventually, startWorld } from '@cardinal/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { checks } from '../src/doctor/checks/index.ts';
import { examine } from '../src/doctor/examine.ts';
import { openSources } from '../src/doctor/sources.ts';
import { runStatements } from '../src/index.ts';
import { databaseOwners } from '../src/services/provision.ts';

it('gives a consumer what the broker had for it when it lost its folder', async () => {
  const world = await startWorld();
  onTestFinished(() => world.stop());
  const query = (statement: string) => runStatements(world.adminUrl, [statement]);
  const client = api(world.baseUrl, await world.token());
  const make = async (path: string, body: object) => (await client.post(path, { body })).body.data;
  const board = await make('/boards', { name: 'Board' });
  const column = await make(`/boards/${board.id}/columns`, { name: 'To do' });
  const [card, other] = [
    await make(`/columns/${column.id}/cards`, { title: 'Waits' }),
    await make(`/columns/${column.id}/cards`, { title: 'Goes' }),
  ];
  expect((await client.put(`/cards/${card.id}/dependencies/${other.id}`)).status).toBe(200);

  await world.kill('dependency');
  expect((await client.delete(`/cards/${other.id}`, { ifMatch: '"1"' })).status).toBe(204);
  await eventually(async () => {
    const published = `select from card.outbox where subject = 'evt.card.deleted' and published_at is not null`;
    expect(await query(published)).toHaveLength(1);
  });
  await world.kill('nats');
  rmSync(world.natsFolder, { recursive: true });
  await world.restart('nats');
  expect(await query('select from dependency.edges')).toHaveLength(1);
  await world.restart('dependency');

  await eventually(async () => expect(await query('select from dependency.edges')).toEqual([]), { timeoutMs: 25_000 });
  const sources = openSources(databaseOwners, () => world.adminUrl);
  onTestFinished(() => sources.close());
  const findings = await examine(checks, sources, 10_000);
  expect(findings.flatMap(({ differences }) => differences.map(({ what }) => what))).toEqual([]);
});
