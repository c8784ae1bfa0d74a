import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { droppedUntil, inspectConsumers } from '@cardinal/bus';
import { consumers, databaseOwners } from '@cardinal/contracts';
import { declareBusStreams, runStatements } from '@cardinal/servers';
import { api, eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { brokerChecks } from '../src/checks/events.ts';
import { checks } from '../src/checks/index.ts';
import { registerChecks } from '../src/checks/register.ts';
import { repairFindings } from '../src/repair.ts';
import { openSources, type Sources } from '../src/sources.ts';
import { examined } from './database.ts';

let world: World;
let sources: Sources;
beforeAll(async () => {
  // Whoever writes as fast as he can is limited sooner on a fast machine.
  world = await startWorld({ env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  sources = openSources(databaseOwners, (service) => world.databaseUrls[service]);
  return () => Promise.all([world.stop(), sources.close()]);
});

const broker = () => ({ url: world.natsUrls.deploy ?? '' });
const query = (statement: string) => runStatements(world.adminUrl, [statement]);
/** What the doctor says, in this process; a difference that lasts shorter than the patience is none. */
const look = (patienceMs: number, which = [...checks, ...brokerChecks(broker()), ...registerChecks(broker())]) =>
  examined(sources, which, patienceMs);

/** A card that waits for another one. */
const aDependency = async () => {
  const client = api(world.baseUrl, await world.token());
  const make = async (path: string, body: object) => {
    const { status, body: made } = await client.post(path, { body });
    expect(status).toBe(201);
    return made.data;
  };
  const board = await make('/boards', { name: 'Board' });
  const column = await make(`/boards/${board.id}/columns`, { name: 'To do' });
  const goes = await make(`/columns/${column.id}/cards`, { title: 'Goes' });
  const aWaitingOne = async () => {
    const waits = await make(`/columns/${column.id}/cards`, { title: 'Waits' });
    expect((await client.put(`/cards/${waits.id}/dependencies/${goes.id}`)).status).toBe(200);
  };
  await aWaitingOne();
  const edges = () => query(`select from dependency.edges where depends_on_card_id = '${goes.id}'`);
  return { client, goes, aWaitingOne, edges };
};

/** Where the outbox has it that the card was deleted, once that was published. */
const deletionOf = ({ goes }: { goes: { id: string } }) =>
  `from card.outbox where subject = 'evt.card.deleted' and published_at is not null
     and event ->> 'aggregate_id' = '${goes.id}'`;

/** Deletes the card while the dependency service is away; the broker loses that with its folder. */
const loseDeletion = async (
  dependency: Awaited<ReturnType<typeof aDependency>>,
  amid: () => Promise<unknown> = async () => {},
) => {
  const { client, goes } = dependency;
  await world.kill('dependency');
  expect((await client.delete(`/cards/${goes.id}`, { ifMatch: '"1"' })).status).toBe(204);
  await eventually(async () => expect(await query(`select ${deletionOf(dependency)}`)).toHaveLength(1));
  await amid();
  await world.kill('nats');
  rmSync(world.natsFolder, { recursive: true });
  await world.restart('nats');
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
      await setTimeout(50);
    }
  };
  const rename = async () => {
    for (let version = 1; writing; version += 1) {
      const name = `Other ${version}`;
      await client.patch(`/workstreams/${other.id}`, { ifMatch: `"${version}"`, body: { name } });
      await setTimeout(200);
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

describe('the doctor, beside a stack that works', () => {
  it('finds no difference in what is being written, and still finds one that is planted', async () => {
    const { goes } = await aDependency();
    const writing = await keepWriting();
    onTestFinished(() => writing.stop());
    await eventually(() => expect(writing.written()).toBeGreaterThan(20));
    expect((await look(2_000)).told).toBe('');

    await query(`update dependency.cards set position = null, deleted_at = now() where id = '${goes.id}'`);
    const sick = await look(2_000);
    expect(sick.told).toContain(`${goes.id}: card says "exists", dependency "deleted at `);
    expect(sick.findings.filter(({ differences }) => differences.length > 0)).toHaveLength(2);
    await query(`update dependency.cards set position = 0, deleted_at = null where id = '${goes.id}'`);
  });

  it('knows every consumer, and finds nothing wrong', async () => {
    await aDependency();
    const there = await inspectConsumers(broker());
    expect(there?.map(({ durable }) => durable).sort()).toEqual(
      Object.values(consumers)
        .map(({ durable }) => durable)
        .sort(),
    );
    const { told, findings } = await look(20_000);
    expect(told).toBe('');
    const names = findings.map(({ check }) => check.name);
    expect(names).toContain('the stream has every event that was published within a day');
  });

  it('finds nothing wrong once a consumer got what the broker had for it when it lost its folder', async () => {
    const dependency = await aDependency();
    await loseDeletion(dependency);
    expect(await dependency.edges()).toHaveLength(1);
    await world.restart('dependency');
    await eventually(async () => expect(await dependency.edges()).toEqual([]));
    expect((await look(10_000, [...checks])).told).toBe('');
  });

  it('has an event that a consumer gave up on applied after all, though stream and outbox have it no more', async () => {
    const dependency = await aDependency();
    await loseDeletion(dependency, async () => {
      await query(`insert into dependency.dead_letters (event, error, failed_at)
        select event, 'Error: no', now() - interval '10 minutes' ${deletionOf(dependency)}`);
      await query(`delete ${deletionOf(dependency)}`);
    });
    await world.restart('dependency');

    expect(await dependency.edges()).toHaveLength(1);
    const found = await look(1_000);
    expect(found.told).toMatch(/dependency: dead letter .*: Error: no — \{"id"/);
    expect(found.told).toMatch(RegExp(`card .*/${dependency.goes.id}: card says nothing, dependency true`));
    expect((await repairFindings(found.findings)).failures).toEqual([]);
    expect((await look(10_000)).told).toBe('');
    expect(await dependency.edges()).toEqual([]);
  });

  it('finds nothing wrong where the stream is full: writes go on, and everybody is told', async () => {
    const { client, goes, aWaitingOne } = await aDependency();
    await declareBusStreams(broker(), 10_000);
    for (let at = 0; at < 30; at += 1) await aWaitingOne();
    expect((await client.delete(`/cards/${goes.id}`, { ifMatch: '"1"' })).status).toBe(204);
    expect(await droppedUntil(broker())).toBeInstanceOf(Date);
    expect((await look(20_000)).told).toBe('');
  });
});
