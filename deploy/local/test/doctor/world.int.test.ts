import { rmSync } from 'node:fs';
import { inspectConsumers } from '@cardinal/bus';
import { consumers } from '@cardinal/contracts';
import { api, eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { runStatements } from '../../src/index.ts';
import { doctor } from './scene.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  return () => world.stop();
});

const query = (statement: string) => runStatements(world.adminUrl, [statement]);
const examine = (...args: string[]) =>
  doctor(args, {
    ...Object.fromEntries(
      Object.entries(world.databaseUrls).map(([service, url]) => [`${service.toUpperCase()}_DATABASE_URL`, url]),
    ),
    NATS_URL: world.natsUrls.deploy ?? '',
  });

/** A card that waits for another one. */
const aDependency = async () => {
  const client = api(world.baseUrl, await world.token());
  const make = async (path: string, body: object) => (await client.post(path, { body })).body.data;
  const board = await make('/boards', { name: 'Board' });
  const column = await make(`/boards/${board.id}/columns`, { name: 'To do' });
  const waits = await make(`/columns/${column.id}/cards`, { title: 'Waits' });
  const goes = await make(`/columns/${column.id}/cards`, { title: 'Goes' });
  expect((await client.put(`/cards/${waits.id}/dependencies/${goes.id}`)).status).toBe(200);
  return { client, goes };
};

describe('npm run doctor, beside a stack that works', () => {
  it('knows every consumer, and finds nothing wrong', async () => {
    await aDependency();
    const there = await inspectConsumers(world.natsUrls.deploy ?? '');
    expect(there?.map(({ durable }) => durable).sort()).toEqual(
      Object.values(consumers)
        .map(({ durable }) => durable)
        .sort(),
    );
    const { code, out, err } = await examine('--patience', '20');
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toMatch(/DIFFERS|skipped/);
    expect(out).toContain('ok       the stream has every event that was published within a day');
  });

  it('has an event that a consumer gave up on applied after all, though stream and outbox have it no more', async () => {
    const { client, goes } = await aDependency();
    await world.kill('dependency');
    expect((await client.delete(`/cards/${goes.id}`, { ifMatch: '"1"' })).status).toBe(204);
    const deletion = `from card.outbox where subject = 'evt.card.deleted' and published_at is not null`;
    await eventually(async () => expect(await query(`select ${deletion}`)).toHaveLength(1));
    await query(`insert into dependency.dead_letters (event, error, failed_at)
      select event, 'Error: no', now() - interval '10 minutes' ${deletion}`);
    await query(`delete ${deletion}`);
    await world.kill('nats');
    rmSync(world.natsFolder, { recursive: true });
    await world.restart('nats');
    await world.restart('dependency');

    const edges = `select from dependency.edges where depends_on_card_id = '${goes.id}'`;
    expect(await query(edges)).toHaveLength(1);
    const found = await examine('--patience', '1');
    expect(found).toMatchObject({ code: 1, err: '' });
    expect(found.out).toMatch(/dependency: dead letter .*: Error: no — \{"id"/);
    expect(found.out).toMatch(RegExp(`card .*/${goes.id}: card says nothing, dependency true`));
    expect((await examine('--repair', '--patience', '10')).code).toBe(0);
    expect(await query(edges)).toEqual([]);
  }, 120_000);
});
