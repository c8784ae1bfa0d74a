import { rmSync } from 'node:fs';
import { droppedUntil } from '@cardinal/bus';
import { api, eventually, startWorld } from '@cardinal/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { brokerChecks } from '../src/doctor/checks/broker.ts';
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

it('goes on writing, and tells everybody, where the stream is full', async () => {
  const world = await startWorld({ streamBytes: 20_000 });
  onTestFinished(() => world.stop());
  const client = api(world.baseUrl, await world.token());
  const make = async (path: string, body: object) => {
    const { status, body: made } = await client.post(path, { body });
    expect(status).toBe(201);
    return made.data;
  };
  const board = await make('/boards', { name: 'Board' });
  const column = await make(`/boards/${board.id}/columns`, { name: 'To do' });
  const other = await make(`/columns/${column.id}/cards`, { title: 'Goes' });
  for (let at = 0; at < 60; at += 1) {
    const card = await make(`/columns/${column.id}/cards`, { title: `Card ${at}` });
    expect((await client.put(`/cards/${card.id}/dependencies/${other.id}`)).status).toBe(200);
  }
  expect((await client.delete(`/cards/${other.id}`, { ifMatch: '"1"' })).status).toBe(204);

  const sources = openSources(databaseOwners, () => world.adminUrl);
  onTestFinished(() => sources.close());
  expect(await droppedUntil(world.natsUrls.deploy ?? '')).toBeInstanceOf(Date);
  const all = [...checks, ...brokerChecks(world.natsUrls.deploy ?? '')];
  const findings = await examine(all, sources, 20_000);
  expect(findings.flatMap(({ differences }) => differences.map(({ what }) => what))).toEqual([]);
});
