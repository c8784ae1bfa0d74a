import { archiveWorkstream, type Caller, patchWorkstream, unavailable, type Workstream } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { aCaller, aCommand } from '@cardinal/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { finishEndings } from '../src/workstreams/endings.ts';
import { askForNumbers, aWorkstream, startWorld } from './support/world.ts';

const world = await startWorld();
const [instance] = [await world.start(), await world.start()];
beforeEach(() => {
  world.card.beforeClose = async () => {};
});

const archive = (caller: Caller, { id }: Workstream, command = aCommand(), if_match = [1]) =>
  world.bus.call(archiveWorkstream, { ...caller, workstream_id: id, command, if_match });

/** An archive that stopped after its first step: the card service did not answer. */
const interrupted = async () => {
  const caller = aCaller();
  const web = await aWorkstream(world, caller, 'WEB');
  const command = aCommand();
  world.card.beforeClose = async () => {
    throw unavailable('The test says so');
  };
  await expect(archive(caller, web, command)).rejects.toMatchObject({ code: 'unavailable' });
  expect(world.card.closed).not.toContain(web.id);
  world.card.beforeClose = async () => {};
  return { caller, web, command };
};

const archived = { version: 2, archived_at: expect.any(String) };

test('the range is closed before the workstream is archived', async () => {
  const caller = aCaller();
  const web = await aWorkstream(world, caller, 'WEB');
  const gate = Promise.withResolvers<void>();
  const met = Promise.withResolvers<void>();
  world.card.beforeClose = async () => {
    met.resolve();
    await gate.promise;
  };
  const archiving = archive(caller, web);
  await met.promise;
  const versions = await instance.context.db.read((tx) =>
    tx.selectFrom('workstreams').select('archived_at').where('id', '=', web.id).execute(),
  );
  expect(versions).toEqual([{ archived_at: null }]);
  gate.resolve();
  expect(await archiving).toMatchObject({ resource: archived, replayed: false });
  expect(world.card.closed).toContain(web.id);
});

test('concurrent archives of one version have one winner, and equal ones the same answer', async () => {
  const caller = aCaller();
  const web = await aWorkstream(world, caller, 'WEB');
  const command = aCommand();
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      archive(caller, web, index % 2 ? command : aCommand()).catch((error) => error.code),
    ),
  );
  const answers = new Set(outcomes.filter((one) => one !== 'precondition_failed').map((one) => one.resource.version));
  expect([...answers]).toEqual([2]);
  expect(outcomes).toContain('precondition_failed');
});

describe('an interrupted archive is finished', () => {
  test('by its repetition', async () => {
    const { caller, web, command } = await interrupted();
    const { resource } = await archive(caller, web, command);
    expect(resource).toMatchObject(archived);
    expect(await archive(caller, web, command)).toEqual({ resource, replayed: true });
  });

  test('by a grant, which then grants nothing', async () => {
    const { caller, web } = await interrupted();
    expect(await askForNumbers(world, caller, { workstream_id: web.id })).toMatchObject({ workstream: archived });
    expect(world.card.closed).toContain(web.id);
  });

  test('by another writer, whose version is then outdated', async () => {
    const { caller, web, command } = await interrupted();
    const patch = { ...caller, command: aCommand(), workstream_id: web.id, if_match: [1], body: { name: 'Renamed' } };
    const missed = { code: 'precondition_failed', details: { current_version: 2 } };
    await expect(world.bus.call(patchWorkstream, patch)).rejects.toMatchObject(missed);
    await expect(archive(caller, web)).rejects.toMatchObject(missed);
    expect(await archive(caller, web, command)).toMatchObject({ resource: archived, replayed: true });
  });

  test('by the sweeper', async () => {
    const { web } = await interrupted();
    const logger = createLogger({ service: 'identifier', level: 'silent' });
    await finishEndings({ ...instance.context, logger });
    expect(world.card.closed).toContain(web.id);
    expect(
      world.card.projected.find(({ aggregate_id, data }) => aggregate_id === web.id && data.archived_at),
    ).toBeTruthy();
  });
});

test('a grant is 503 while an archive cannot be finished', async () => {
  const { caller, web } = await interrupted();
  world.card.beforeClose = async () => {
    throw unavailable('The test says so');
  };
  await expect(askForNumbers(world, caller, { workstream_id: web.id })).rejects.toMatchObject({ code: 'unavailable' });
});
