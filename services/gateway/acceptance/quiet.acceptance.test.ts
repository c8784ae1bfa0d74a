import { readFileSync } from 'node:fs';
import { databaseOwners, serviceNames } from '@cardinal/contracts';
import { eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { workspaceWithBoard } from './workspace.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ apart: true });
  return () => world.stop();
});

/** What is for an operator to read: each line above `info`. */
const loud = () =>
  serviceNames
    .flatMap((service) => [service, ...world.instancesOf(service)])
    .flatMap((name) => readFileSync(world.logOf(name), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{') && !['info', 'debug', 'trace'].includes(JSON.parse(line).level));

it('logs nothing above info in a first start, and while every owner is replaced', async () => {
  const { client, column } = await workspaceWithBoard(world);
  await client.createCard(column.id, 'Before');
  expect(loud()).toEqual([]);
  for (const owner of databaseOwners) {
    await world.restart(`${owner}-2`);
    await world.kill(owner, 'SIGTERM');
    await client.createCard(column.id, `After ${owner}`);
  }
  await eventually(async () => {
    const { body } = await client.get('/events?limit=100');
    expect(JSON.stringify(body)).toContain(`After ${databaseOwners.at(-1)}`);
  });
  expect(loud()).toEqual([]);
});
