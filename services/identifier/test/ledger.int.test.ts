import {
  archiveWorkstream,
  type Caller,
  type IssuedIdentifier,
  listIdentifiers,
  listWorkstreams,
  recordIdentifiers,
  resolveIdentifier,
} from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { askForNumbers, aWorkstream, issued, startWorld } from './support/world.ts';

const world = await startWorld();
await Promise.all([world.start(), world.start()]);

const resolve = (caller: Caller, identifier: string) => world.bus.call(resolveIdentifier, { ...caller, identifier });
const record = (...entries: IssuedIdentifier[]) => world.bus.call(recordIdentifiers, { issued: entries });
/** Reads a page of the history of a card, with this current identifier and these on their way to the ledger. */
const history = (
  caller: Caller,
  card_id: string,
  current_identifier: string,
  unrecorded: IssuedIdentifier[] = [],
  page: z.input<typeof listIdentifiers.request>['page'] = { limit: 100 },
) => {
  world.card.identifiers.set(`${caller.workspace_id}/${card_id}`, { current_identifier, unrecorded });
  return world.bus.call(listIdentifiers, { ...caller, card_id, page });
};

const notFound = { code: 'not_found' };
const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;

describe('a grant', () => {
  test('creates the workspace’s default workstream, and gives room for numbers', async () => {
    const caller = aCaller();
    const granted = await askForNumbers(world, caller);
    expect(granted).toMatchObject({
      workstream: { prefix: 'MAIN', archived_at: null },
      highest_number: 0,
      granted_before: 0,
      granted_through: 8,
      epoch: 1,
      epoch_base: 0,
    });
  });

  test('creates one MAIN, however many first requests of a workspace reach two instances at once', async () => {
    const caller = aCaller();
    const page = { limit: 100 };
    const lists = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        if (n % 2) await askForNumbers(world, caller);
        return world.bus.call(listWorkstreams, { ...caller, page });
      }),
    );
    expect(new Set(lists.map(({ items }) => items.map(({ id, prefix }) => `${id} ${prefix}`).join())).size).toBe(1);
    expect(lists[0]?.items).toEqual([expect.objectContaining({ prefix: 'MAIN', is_default: true })]);
  });

  test('that is repeated extends nothing; used numbers do', async () => {
    const caller = aCaller();
    const { id } = await aWorkstream(world, caller, 'WEB');
    const ask = (last_number: number) => askForNumbers(world, caller, { workstream_id: id, last_number });
    await ask(0);
    expect(await ask(0)).toMatchObject({ granted_before: 8, granted_through: 8 });
    expect(await ask(7)).toMatchObject({ granted_before: 8, granted_through: 39 });
    expect(await ask(3)).toMatchObject({ granted_before: 39, granted_through: 39 });
  });

  test('answers the highest number in the ledger, also to a caller that lost it', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    await record(issued(caller, web, 1_400), issued(caller, web, 7));
    expect(await askForNumbers(world, caller, { workstream_id: web.id })).toMatchObject({
      highest_number: 1_400,
      granted_before: 0,
    });
  });

  test('for an archived workstream grants nothing and reports the archive', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const request = { workstream_id: web.id };
    await askForNumbers(world, caller, request);
    await world.bus.call(archiveWorkstream, { ...caller, ...request, command: aCommand(), if_match: [1] });
    expect(await askForNumbers(world, caller, { ...request, last_number: 990 })).toMatchObject({
      workstream: { archived_at: expect.any(String), version: 2 },
      granted_through: 8,
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
  test('keeps the first record, however often and by any caller it is repeated', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const one = issued(caller, web, 1);
    const all = Array.from({ length: 60 }, (_, index) => issued(caller, web, index + 2));
    await Promise.all([record(one, ...all), record(...all.toReversed(), one), record(one)]);
    expect(await record({ ...one, assigned_at: day(9), card_version: 9 })).toEqual({ refused: [] });
    expect((await history(caller, one.card_id, 'WEB-1')).items).toMatchObject([{ assigned_at: one.assigned_at }]);
  });

  test('refuses an identifier of another card, and records the others', async () => {
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
    expect(await resolve(aCaller(), 'WEB-1')).toEqual({ card_id: null });
  });

  test('does not find an identifier that was never issued', async () => {
    const caller = aCaller();
    await record(issued(caller, await aWorkstream(world, caller, 'WEB'), 1));
    for (const name of ['WEB-2', 'WEB-01', 'WEB-0', ' WEB-1', 'WEB-1 ', 'WEB', 'NONE-1', 'WEB-999999999999999', '']) {
      expect([name, await resolve(caller, name)]).toEqual([name, { card_id: null }]);
    }
  });

  test('many at once each get their own answer', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const all = Array.from({ length: 30 }, (_, index) => issued(caller, web, index + 1));
    await record(...all);
    const answers = await Promise.all(
      all.flatMap(({ identifier }) => [resolve(caller, identifier), resolve(aCaller(), identifier)]),
    );
    expect(answers).toEqual(all.flatMap(({ card_id }) => [{ card_id }, { card_id: null }]));
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
      expect((await history(caller, card_id, 'WEB-1', unrecorded)).items).toEqual([
        {
          identifier: 'APP-1',
          workstream: { id: first.workstream_id, name: 'APP', prefix: 'APP' },
          is_current: false,
          assigned_at: day(1),
          superseded_at: day(2),
          assigned_by: caller.user_id,
          adopted: false,
        },
        {
          identifier: 'WEB-1',
          workstream: { id: web.id, name: 'WEB', prefix: 'WEB' },
          is_current: true,
          assigned_at: day(2),
          superseded_at: null,
          assigned_by: caller.user_id,
          adopted: false,
        },
      ]);
    },
  );

  test('of a card that was read before its last transfer is that of the time of reading', async () => {
    const caller = aCaller();
    const { first, second, card_id } = await transferred(caller);
    await record(first, second);
    expect(await history(caller, card_id, 'APP-1')).toMatchObject({
      items: [{ identifier: 'APP-1', is_current: true, superseded_at: null }],
      next_cursor: null,
    });
  });

  test('of a ledger that lacks the current identifier is 503, not a part of it', async () => {
    const caller = aCaller();
    const { first, card_id } = await transferred(caller);
    await record(first);
    await expect(history(caller, card_id, 'WEB-1')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('of a card that the card service does not show is not found', async () => {
    const caller = aCaller();
    const { first, card_id } = await transferred(caller);
    await record(first);
    await history(caller, card_id, 'APP-1');
    const { workspace_id } = aCaller();
    const elsewhere = world.bus.call(listIdentifiers, { ...caller, workspace_id, card_id, page: { limit: 10 } });
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_found', message: 'Card not found' });
  });

  test('is in the order of the versions, also where a clock went back', async () => {
    const caller = aCaller();
    const { first, second, card_id } = await transferred(caller);
    await record(first, { ...second, assigned_at: '2025-01-01T00:00:00.000Z' });
    const { items } = await history(caller, card_id, 'WEB-1');
    expect(items.map(({ identifier }) => identifier)).toEqual(['APP-1', 'WEB-1']);
  });
});

describe('pages of a history', () => {
  /** A card of seven identifiers, two of them with the same version, as after a rollback. */
  const moved = async (caller: Caller) => {
    const web = await aWorkstream(world, caller, 'WEB');
    const card_id = v7();
    const all = Array.from({ length: 7 }, (_, index) => ({
      ...issued(caller, web, index + 1, card_id),
      card_version: index < 4 ? index + 1 : index,
      assigned_at: day(index + 1),
    }));
    return { all, card_id };
  };

  /** The entries of all pages, one after the other, with `onTheWay` not in the ledger. */
  const pagesOf = async (caller: Caller, limit: number, onTheWay: (nth: number) => boolean) => {
    const { all, card_id } = await moved(caller);
    await record(...all.filter((_, nth) => !onTheWay(nth)));
    const unrecorded = all.filter((_, nth) => onTheWay(nth));
    const entries: { identifier: string; is_current: boolean; superseded_at: string | null }[] = [];
    let pages = 0;
    for (let cursor: string | undefined; pages === 0 || cursor; pages += 1) {
      const page = await history(caller, card_id, 'WEB-7', unrecorded, { limit, cursor });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      entries.push(...page.items);
      cursor = page.next_cursor ?? undefined;
    }
    return { entries, pages };
  };

  const ways: [string, (nth: number) => boolean][] = [
    ['in the ledger', () => false],
    ['on their way to it', () => true],
    ['both alternately', (nth) => nth % 2 === 0],
    ['on their way, but the current one', (nth) => nth < 6],
  ];

  test.each(ways.flatMap(([where, onTheWay]) => [1, 3, 7, 8].map((limit) => ({ where, onTheWay, limit }))))(
    'of $limit name every identifier that is $where once, in order',
    async ({ onTheWay, limit }) => {
      const { entries, pages } = await pagesOf(aCaller(), limit, onTheWay);
      const expected = Array.from({ length: 7 }, (_, nth) => ({
        identifier: `WEB-${nth + 1}`,
        is_current: nth === 6,
        superseded_at: nth === 6 ? null : day(nth + 2),
      }));
      expect(entries).toMatchObject(expected);
      expect(pages).toBe(Math.ceil(7 / limit));
    },
  );

  test('continue where they stopped, also when the card got another identifier meanwhile', async () => {
    const caller = aCaller();
    const { all, card_id } = await moved(caller);
    await record(...all.slice(0, 3));
    const { next_cursor } = await history(caller, card_id, 'WEB-3', [], { limit: 2 });
    const page = { limit: 2, cursor: next_cursor ?? '' };
    expect((await history(caller, card_id, 'WEB-4', all.slice(3, 4), page)).items).toMatchObject([
      { identifier: 'WEB-3', superseded_at: day(4), is_current: false },
      { identifier: 'WEB-4', superseded_at: null, is_current: true },
    ]);
  });

  test('refuse a broken cursor and one of another card, before the card service is asked', async () => {
    const caller = aCaller();
    const { all, card_id } = await moved(caller);
    await record(...all);
    const foreign = (await history(caller, card_id, 'WEB-7', [], { limit: 2 })).next_cursor ?? '';
    for (const cursor of ['nonsense', Buffer.from('[1]').toString('base64url'), foreign]) {
      const asked = { ...caller, card_id: v7(), page: { limit: 2, cursor } };
      await expect(world.bus.call(listIdentifiers, asked)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});
