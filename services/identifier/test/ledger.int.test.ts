import {
  archiveWorkstream,
  type IssuedIdentifier,
  listIdentifiers,
  recordIdentifiers,
  resolveIdentifier,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { aCaller, aCommand, askForNumbers, aWorkstream, issued, startWorld, type World } from './support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
  await Promise.all([world.start(), world.start()]);
});

type Caller = ReturnType<typeof aCaller>;

const resolve = (caller: Caller, identifier: string) => world.bus.call(resolveIdentifier, { ...caller, identifier });
const record = (...entries: IssuedIdentifier[]) => world.bus.call(recordIdentifiers, { issued: entries });
const history = (caller: Caller, card_id: string, current_identifier: string, unrecorded: IssuedIdentifier[] = []) =>
  world.bus.call(listIdentifiers, { ...caller, card_id, current_identifier, unrecorded });

const notFound = { code: 'not_found' };
const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;

describe('a grant', () => {
  test('makes the workspace its default workstream, and room for numbers', async () => {
    const caller = aCaller();
    const granted = await askForNumbers(world, caller);
    expect(granted).toMatchObject({
      ...{ workstream: { prefix: 'MAIN', archived_at: null }, highest_number: 0 },
      ...{ granted_before: 0, granted_through: 8, epoch: 1, epoch_base: 0 },
    });
  });

  test('that is asked for again extends nothing; numbers that were used do', async () => {
    const caller = aCaller();
    const { id } = await aWorkstream(world, caller, 'WEB');
    const ask = (last_number: number) => askForNumbers(world, caller, { workstream_id: id, last_number });
    await ask(0);
    expect(await ask(0)).toMatchObject({ granted_before: 8, granted_through: 8 });
    expect(await ask(7)).toMatchObject({ granted_before: 8, granted_through: 23 });
    expect(await ask(3)).toMatchObject({ granted_before: 23, granted_through: 23 });
  });

  test('tells the highest number in the ledger, also to whoever lost track of it', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    await record(issued(caller, web, 1_400), issued(caller, web, 7));
    expect(await askForNumbers(world, caller, { workstream_id: web.id })).toMatchObject({
      ...{ highest_number: 1_400, granted_before: 0 },
    });
  });

  test('for an archived workstream grants nothing and says so', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const wish = { workstream_id: web.id };
    await askForNumbers(world, caller, wish);
    await world.bus.call(archiveWorkstream, { ...caller, ...wish, command: aCommand(), if_match: [1] });
    expect(await askForNumbers(world, caller, { ...wish, last_number: 990 })).toMatchObject({
      ...{ workstream: { archived_at: expect.any(String), version: 2 }, granted_through: 8 },
    });
  });

  test("for an unknown workstream or another workspace's is refused", async () => {
    const web = await aWorkstream(world, aCaller(), 'WEB');
    for (const workstream_id of [web.id, v7()]) {
      await expect(askForNumbers(world, aCaller(), { workstream_id })).rejects.toMatchObject(notFound);
    }
  });
});

describe('the ledger', () => {
  test('keeps what it was told first, however often and by whomever it is told', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const one = issued(caller, web, 1);
    const all = Array.from({ length: 60 }, (_, index) => issued(caller, web, index + 2));
    await Promise.all([record(one, ...all), record(...all.toReversed(), one), record(one)]);
    expect(await record({ ...one, assigned_at: day(9), card_version: 9 })).toEqual({ refused: [] });
    expect(await history(caller, one.card_id, 'WEB-1')).toMatchObject([{ assigned_at: one.assigned_at }]);
  });

  test('refuses an identifier of another card, and takes its neighbours', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const [one, two] = [issued(caller, web, 1), issued(caller, web, 2)];
    await record(one);
    const usurper = { ...one, card_id: v7() };
    expect(await record(usurper, two)).toEqual({ refused: [usurper] });
    expect(await resolve(caller, 'WEB-1')).toEqual({ card_id: one.card_id });
    expect(await resolve(caller, 'WEB-2')).toEqual({ card_id: two.card_id });
  });
});

describe('resolve', () => {
  test('finds a recorded identifier in any letter case', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const one = issued(caller, web, 1);
    await record(one);
    for (const spelling of ['WEB-1', 'web-1', 'wEb-1']) {
      expect(await resolve(caller, spelling)).toEqual({ card_id: one.card_id });
    }
    await expect(resolve(aCaller(), 'WEB-1')).rejects.toMatchObject(notFound);
  });

  test.each(['WEB-2', 'WEB-01', 'WEB-0', ' WEB-1', 'WEB-1 ', 'WEB', 'NONE-1', 'WEB-999999999999999', ''])(
    '%j was never issued',
    async (identifier) => {
      const caller = aCaller();
      await record(issued(caller, await aWorkstream(world, caller, 'WEB'), 1));
      await expect(resolve(caller, identifier)).rejects.toMatchObject(notFound);
    },
  );

  test('many at once each get their own answer', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const all = Array.from({ length: 30 }, (_, index) => issued(caller, web, index + 1));
    await record(...all);
    const answers = await Promise.all(
      all.flatMap(({ identifier }) => [
        resolve(caller, identifier),
        resolve(aCaller(), identifier).catch((error) => error.code),
      ]),
    );
    expect(answers).toEqual(all.flatMap(({ card_id }) => [{ card_id }, 'not_found']));
  });
});

describe('history', () => {
  const transferred = async (caller: Caller) => {
    const [app, web] = [await aWorkstream(world, caller, 'APP'), await aWorkstream(world, caller, 'WEB')];
    const first = { ...issued(caller, app, 1), assigned_at: day(1) };
    const second = { ...issued(caller, web, 1, first.card_id), card_version: 3, assigned_at: day(2) };
    return { web, first, second, card_id: first.card_id };
  };

  test.each(['in the ledger', 'on their way to it', 'both'])(
    "lists a card's identifiers that are %s",
    async (where) => {
      const caller = aCaller();
      const { web, first, second, card_id } = await transferred(caller);
      if (where !== 'on their way to it') await record(first, second);
      const unrecorded = where === 'in the ledger' ? [] : [second, first];
      expect(await history(caller, card_id, 'WEB-1', unrecorded)).toEqual([
        {
          identifier: 'APP-1',
          workstream: { id: first.workstream_id, name: 'APP', prefix: 'APP' },
          is_current: false,
          assigned_at: day(1),
          superseded_at: day(2),
          assigned_by: caller.user_id,
        },
        {
          identifier: 'WEB-1',
          workstream: { id: web.id, name: 'WEB', prefix: 'WEB' },
          is_current: true,
          assigned_at: day(2),
          superseded_at: null,
          assigned_by: caller.user_id,
        },
      ]);
    },
  );

  test('of a card read before its last transfer is that of the moment of the reading', async () => {
    const caller = aCaller();
    const { first, second, card_id } = await transferred(caller);
    await record(first, second);
    expect(await history(caller, card_id, 'APP-1')).toMatchObject([
      { identifier: 'APP-1', is_current: true, superseded_at: null },
    ]);
  });

  test('of a ledger that lacks the current identifier is 503, not a part of it', async () => {
    const caller = aCaller();
    const { first, card_id } = await transferred(caller);
    await record(first);
    await expect(history(caller, card_id, 'WEB-1')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test("of another workspace's card is not found", async () => {
    const caller = aCaller();
    const { first, card_id } = await transferred(caller);
    await record(first);
    await expect(history(aCaller(), card_id, 'APP-1', [first])).rejects.toMatchObject(notFound);
  });
});
