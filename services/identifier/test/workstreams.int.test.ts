import {
  archiveWorkstream,
  type Caller,
  createWorkstream,
  getWorkstream,
  listWorkstreams,
  patchWorkstream,
  workstreamChanged,
  workstreamState,
} from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { internalEventsOf } from '@cardinal/testkit/instance';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { aWorkstream, spread, startWorld } from './support/world.ts';

const world = await startWorld();
const [instance] = await Promise.all([world.start(), world.start()]);

const create = (caller: Caller, prefix: string, command = aCommand()) =>
  world.bus.call(createWorkstream, { ...caller, command, body: { name: `Team ${prefix}`, prefix } });

const patch = (
  caller: Caller,
  workstream_id: string,
  body: object,
  options: { if_match?: number[]; command?: ReturnType<typeof aCommand> } = {},
) =>
  world.bus.call(patchWorkstream, { ...caller, workstream_id, body, command: aCommand(), if_match: [1], ...options });

const archive = (
  caller: Caller,
  workstream_id: string,
  options: { if_match?: number[]; command?: ReturnType<typeof aCommand> } = {},
) => world.bus.call(archiveWorkstream, { ...caller, workstream_id, command: aCommand(), if_match: [1], ...options });

const get = (caller: Caller, workstream_id: string) => world.bus.call(getWorkstream, { ...caller, workstream_id });

const list = (caller: Caller, { archived = false, limit = 50, cursor = undefined as string | undefined } = {}) =>
  world.bus.call(listWorkstreams, { ...caller, archived, page: { limit, ...(cursor ? { cursor } : {}) } });

const announcedOf = (caller: Caller) =>
  world.card.projected.filter((event) => event.workspace_id === caller.workspace_id && !event.data.is_default);

describe('create', () => {
  test('stores the prefix in upper case, and the workstream can be read at once', async () => {
    const caller = aCaller();
    const { resource, replayed } = await create(caller, 'wEb1');
    expect(resource).toMatchObject({
      version: 1,
      prefix: 'WEB1',
      name: 'Team wEb1',
      description: null,
      is_default: false,
    });
    expect(replayed).toBe(false);
    expect(await get(caller, resource.id)).toEqual(resource);
  });

  test('delivers the event to the projection before it is answered', async () => {
    const caller = aCaller();
    const { resource } = await create(caller, 'WEB');
    expect(announcedOf(caller)).toMatchObject([
      {
        type: 'workstream.changed',
        aggregate_id: resource.id,
        aggregate_version: 1,
        data: workstreamState.parse(resource),
      },
    ]);
  });

  test('20 concurrent creates of one prefix have one winner', async () => {
    const caller = aCaller();
    const results = await spread(20, () => create(caller, 'WEB').catch((error) => error.code));
    expect(results.filter((result) => result === 'conflict')).toHaveLength(19);
    expect((await list(caller)).items.map((item) => item.prefix)).toEqual(['MAIN', 'WEB']);
  });

  test.each(['MAIN', 'main'])('the prefix %s is taken in a workspace that is new', async (prefix) => {
    await expect(create(aCaller(), prefix)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('the prefix of an archived workstream stays taken, in its own workspace only', async () => {
    const caller = aCaller();
    const { resource } = await create(caller, 'WEB');
    await archive(caller, resource.id);
    await expect(create(caller, 'web')).rejects.toMatchObject({ code: 'conflict' });
    expect((await create(aCaller(), 'WEB')).replayed).toBe(false);
  });

  test('a refused command stores nothing: the same one succeeds where the reason is gone', async () => {
    const caller = aCaller();
    const command = aCommand();
    await expect(create(caller, 'MAIN', command)).rejects.toMatchObject({ code: 'conflict' });
    expect(await create(caller, 'WEB', { ...command, fingerprint: 'g' })).toMatchObject({ replayed: false });
  });
});

describe('patch', () => {
  test('raises the version and announces the new state', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const { resource } = await patch(
      caller,
      web.id,
      { name: 'Website', description: 'All of it' },
      { if_match: [9, 1] },
    );
    expect(resource).toMatchObject({
      ...web,
      version: 2,
      name: 'Website',
      description: 'All of it',
      updated_at: expect.any(String),
    });
    expect(await get(caller, web.id)).toEqual(resource);
    expect(announcedOf(caller).at(-1)).toMatchObject({
      aggregate_version: 2,
      data: workstreamState.parse(resource),
    });
  });

  test('that changes nothing keeps version and time and has no event, but is stored', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const command = aCommand();
    expect(await patch(caller, web.id, { name: web.name }, { command })).toEqual({ resource: web, replayed: false });
    for (const { data } of announcedOf(caller)) expect(data).toEqual(workstreamState.parse(web));
    await patch(caller, web.id, { name: 'Renamed' });
    expect(await patch(caller, web.id, { name: web.name }, { command })).toEqual({ resource: web, replayed: true });
  });

  test('keeps fields that it does not name; null clears the description', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    await patch(caller, web.id, { description: 'All of it' });
    const renamed = await patch(caller, web.id, { name: 'Website' }, { if_match: [2] });
    expect(renamed.resource).toMatchObject({ version: 3, name: 'Website', description: 'All of it' });
    const cleared = await patch(caller, web.id, { description: null }, { if_match: [3] });
    expect(cleared.resource).toMatchObject({ version: 4, name: 'Website', description: null });
  });

  test('20 concurrent edits of one version have one winner', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const results = await spread(20, (index) =>
      patch(caller, web.id, { name: `Name ${index}` }).catch((error) => error.code),
    );
    expect(results.filter((result) => result === 'precondition_failed')).toHaveLength(19);
    expect(await get(caller, web.id)).toMatchObject({ version: 2 });
  });

  test('is allowed for an archived workstream and for MAIN', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    await archive(caller, web.id);
    expect((await patch(caller, web.id, { name: 'Old web' }, { if_match: [2] })).resource).toMatchObject({
      version: 3,
    });
    const [main] = (await list(caller)).items;
    expect((await patch(caller, main?.id ?? '', { name: 'Everything' })).resource.name).toBe('Everything');
  });
});

describe('archive', () => {
  test('sets the time, and changes nothing when repeated', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const { resource } = await archive(caller, web.id);
    expect(resource).toMatchObject({ version: 2, archived_at: expect.any(String) });
    expect(await archive(caller, web.id, { if_match: [2] })).toEqual({ resource, replayed: false });
  });

  test('of MAIN is a conflict, of a stale MAIN a failed precondition', async () => {
    const caller = aCaller();
    const [main] = (await list(caller)).items;
    await expect(archive(caller, main?.id ?? '')).rejects.toMatchObject({ code: 'conflict' });
    await expect(archive(caller, main?.id ?? '', { if_match: [7] })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
  });
});

describe('list', () => {
  test('begins with MAIN and continues in the order of creation, page by page', async () => {
    const caller = aCaller();
    for (const prefix of ['ZZ', 'YY', 'AA', 'BB']) await create(caller, prefix);
    const prefixes: string[][] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list(caller, { limit: 2, cursor: cursor ?? undefined });
      prefixes.push(page.items.map((item) => item.prefix));
      cursor = page.next_cursor;
    } while (cursor);
    expect(prefixes).toEqual([['MAIN', 'ZZ'], ['YY', 'AA'], ['BB']]);
  });

  test('ends a page before 1 MiB, and leaves nothing out', async () => {
    const caller = aCaller();
    await list(caller);
    await instance.context.db.transaction((tx) =>
      sql`
        insert into workstreams (workspace_id, id, version, name, prefix, description, is_default, created_at, updated_at)
        select ${caller.workspace_id}, gen_random_uuid(), 1, repeat(chr(1), 120), 'W' || n, repeat(chr(1), 2000), false,
          now(), now()
        from generate_series(1, 120) as n`.execute(tx),
    );
    const first = await list(caller, { limit: 100 });
    expect(first.items.length).toBeLessThan(100);
    expect(Buffer.byteLength(JSON.stringify(first.items))).toBeLessThanOrEqual(2 ** 20);
    const second = await list(caller, { limit: 100, cursor: first.next_cursor ?? '' });
    expect(second.next_cursor).toBeNull();
    const prefixes = [...first.items, ...second.items].map((item) => item.prefix);
    expect(prefixes).toHaveLength(121);
    expect(new Set(prefixes).size).toBe(121);
  });

  test('separates active from archived ones', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    await aWorkstream(world, caller, 'API');
    await archive(caller, web.id);
    expect((await list(caller)).items.map((item) => item.prefix)).toEqual(['MAIN', 'API']);
    expect(await list(caller, { archived: true })).toMatchObject({ items: [{ prefix: 'WEB' }], next_cursor: null });
  });

  test('refuses a cursor that is broken or of another list', async () => {
    const [caller, stranger] = [aCaller(), aCaller()];
    await create(stranger, 'WEB');
    const { next_cursor } = await list(stranger, { limit: 1 });
    expect(next_cursor).not.toBeNull();
    for (const ask of [
      () => list(caller, { cursor: 'nonsense' }),
      () => list(caller, { cursor: next_cursor ?? '' }),
      () => list(stranger, { cursor: next_cursor ?? '', archived: true }),
    ]) {
      await expect(ask()).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});

test('every change is in the feed for the card service, in its order', async () => {
  const caller = aCaller();
  const web = await aWorkstream(world, caller, 'WEB');
  await patch(caller, web.id, { name: 'Renamed' });
  await patch(caller, web.id, { name: 'Renamed' }, { if_match: [2] });
  await archive(caller, web.id, { if_match: [2] });
  const noted = (await internalEventsOf(instance, caller.workspace_id)).map((event) =>
    workstreamChanged.schema.parse(event),
  );
  expect(noted.map(({ data }) => [data.prefix, data.version])).toEqual([
    ['MAIN', 1],
    ['WEB', 1],
    ['WEB', 2],
    ['WEB', 3],
  ]);
});
