import { rmSync } from 'node:fs';
import { inspectConsumers } from '@cardinal/bus';
import { consumers } from '@cardinal/contracts';
import { api, eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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

/** Creates, transfers and renames until it is stopped. */
const keepWriting = async () => {
  const client = api(world.baseUrl, await world.token());
  const made = async (path: string, body: object, ifMatch?: string) => {
    const { status, body: answer } = await client.post(path, { body, ...(ifMatch ? { ifMatch } : {}) });
    expect(status).toBeLessThan(300);
    return answer.data;
  };
  const board = await made('/boards', { name: 'Busy' });
  const column = await made(`/boards/${board.id}/columns`, { name: 'To do' });
  const other = await made('/workstreams', { name: 'Other', prefix: 'OTHER' });
  let [writing, written] = [true, 0];
  const write = async () => {
    while (writing) {
      const card = await made(`/columns/${column.id}/cards`, { title: 'Busy' });
      await made(`/cards/${card.id}/workstream`, { workstream_id: other.id }, '"1"');
      written += 1;
    }
  };
  const rename = async () => {
    for (let version = 1; writing; version += 1) {
      const name = `Other ${version}`;
      await client.patch(`/workstreams/${other.id}`, { ifMatch: `"${version}"`, body: { name } });
    }
  };
  const writers = Promise.all([write(), write(), write(), write(), rename()]);
  return {
    written: () => written,
    stop: async () => {
      writing = false;
      await writers;
    },
  };
};

describe('npm run doctor, beside a stack that works', () => {
  it('finds no difference in what is being written, and still finds one that is planted', async () => {
    const { goes } = await aDependency();
    const writing = await keepWriting();
    onTestFinished(() => writing.stop());
    await eventually(() => expect(writing.written()).toBeGreaterThan(20));
    const healthy = await examine('--patience', '2');
    expect(healthy.out).not.toContain('DIFFERS');
    expect(healthy).toMatchObject({ code: 0, err: '' });

    await query(`update dependency.cards set position = null, deleted_at = now() where id = '${goes.id}'`);
    const sick = await examine('--patience', '2');
    expect(sick.out.match(/^DIFFERS/gm)).toHaveLength(2);
    expect(sick.out).toContain(`${goes.id}: card says "exists", dependency "deleted at `);
    expect(sick.code).toBe(1);
    await query(`update dependency.cards set position = 0, deleted_at = null where id = '${goes.id}'`);
  });

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
