import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { declareStreams, droppedUntil } from '@cardinal/bus';
import { databaseOwners } from '@cardinal/contracts';
import { runStatements } from '@cardinal/servers';
import { type Api, api, eventually, startWorld, type World } from '@cardinal/testkit';
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

/** Makes something, and answers it. */
const make = async (client: Api, path: string, body: object, call: { ifMatch?: string } = {}) => {
  const { status, body: made } = await client.post(path, { body, ...call });
  expect(status).toBeLessThan(300);
  return made.data;
};

/** A card that waits for another one. */
const aDependency = async () => {
  const client = api(world.baseUrl, await world.token());
  const board = await make(client, '/boards', { name: 'Board' });
  const column = await make(client, `/boards/${board.id}/columns`, { name: 'To do' });
  const goes = await make(client, `/columns/${column.id}/cards`, { title: 'Goes' });
  const aWaitingOne = async () => {
    const waits = await make(client, `/columns/${column.id}/cards`, { title: 'Waits' });
    expect((await client.put(`/cards/${waits.id}/dependencies/${goes.id}`)).status).toBe(200);
  };
  await aWaitingOne();
  const edges = () => query(`select from dependency.edges where depends_on_card_id = '${goes.id}'`);
  return { client, goes, aWaitingOne, edges };
};

/** Creates, transfers and renames until it is stopped. */
const keepWriting = async () => {
  const client = api(world.baseUrl, await world.token());
  const board = await make(client, '/boards', { name: 'Busy' });
  const column = await make(client, `/boards/${board.id}/columns`, { name: 'To do' });
  const other = await make(client, '/workstreams', { name: 'Other', prefix: 'OTHER' });
  let [writing, written] = [true, 0];
  const write = async () => {
    for (; writing; written += 1) {
      const card = await make(client, `/columns/${column.id}/cards`, { title: 'Busy' });
      await make(client, `/cards/${card.id}/workstream`, { workstream_id: other.id }, { ifMatch: '"1"' });
      await setTimeout(200);
    }
  };
  const rename = async () => {
    for (let version = 1; writing; version += 1) {
      const body = { name: `Other ${version}` };
      await client.patch(`/workstreams/${other.id}`, { ifMatch: `"${version}"`, body });
      await setTimeout(200);
    }
  };
  const writers = Promise.all([write(), write(), rename()]);
  onTestFinished(async () => {
    writing = false;
    await writers;
  });
  await eventually(() => expect(written).toBeGreaterThan(10));
};

describe('the doctor, beside a stack that works', () => {
  it('finds no difference in what is being written, and still finds one that is planted', async () => {
    const { goes } = await aDependency();
    await keepWriting();
    expect((await look(2_000)).told).toBe('');

    await query(`update dependency.cards set position = null, deleted_at = now() where id = '${goes.id}'`);
    const sick = await look(2_000);
    expect(sick.told).toContain(`${goes.id}: card says "exists", dependency "deleted at `);
    expect(sick.findings.filter(({ differences }) => differences.length > 0)).toHaveLength(2);
    await query(`update dependency.cards set position = 0, deleted_at = null where id = '${goes.id}'`);
  });

  it('has an event that a consumer gave up on applied after all, though stream and outbox have it no more', async () => {
    const { client, goes, edges } = await aDependency();
    await world.kill('dependency');
    expect((await client.delete(`/cards/${goes.id}`, { ifMatch: '"1"' })).status).toBe(204);
    const deletion = `from card.outbox where subject = 'evt.card.deleted' and published_at is not null
      and event ->> 'aggregate_id' = '${goes.id}'`;
    await eventually(async () => expect(await query(`select ${deletion}`)).toHaveLength(1));
    await query(`insert into dependency.dead_letters (event, error, failed_at)
      select event, 'Error: no', now() - interval '10 minutes' ${deletion}`);
    await query(`delete ${deletion}`);
    await world.kill('nats');
    rmSync(world.natsFolder, { recursive: true });
    await world.restart('nats');
    await world.restart('dependency');

    expect(await edges()).toHaveLength(1);
    const found = await look(1_000);
    expect(found.told).toMatch(/dependency: dead letter .*: Error: no — \{"id"/);
    expect(found.told).toMatch(RegExp(`card .*/${goes.id}: card says nothing, dependency true`));
    expect((await repairFindings(found.findings)).failures).toEqual([]);
    expect((await look(10_000)).told).toBe('');
    expect(await edges()).toEqual([]);
  });

  it('finds nothing wrong where the stream is full: writes go on, and everybody is told', async () => {
    const { client, goes, aWaitingOne } = await aDependency();
    await declareStreams({ ...broker(), maxBytes: 10_000 });
    for (let at = 0; at < 30; at += 1) await aWaitingOne();
    expect((await client.delete(`/cards/${goes.id}`, { ifMatch: '"1"' })).status).toBe(204);
    expect(await droppedUntil(broker())).toBeInstanceOf(Date);
    expect((await look(20_000)).told).toBe('');
  });
});
