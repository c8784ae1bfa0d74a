import {
  cardCreated,
  cardTransferred,
  confirm,
  listIdentifiers,
  resolveIdentifier,
  unavailable,
} from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { purge } from '../src/sweepers/purge.ts';
import { settlePending } from '../src/sweepers/settle-pending.ts';
import type { Instance } from './support/instance.ts';
import { aCaller, askForNumber, aWorkstream, startWorld, type World } from './support/world.ts';

let world: World;
let instance: Instance;

beforeAll(async () => {
  world = await startWorld();
  instance = await world.start();
});

type Caller = ReturnType<typeof aCaller>;

const resolve = (caller: Caller, identifier: string) => world.bus.call(resolveIdentifier, { ...caller, identifier });

const history = (caller: Caller, card_id: string, current_identifier: string) =>
  world.bus.call(listIdentifiers, { ...caller, card_id, current_identifier });

const confirmed = ({ workspace_id }: Caller, operation_id: string, card_version: number, assigned_at: string) =>
  world.bus.call(confirm, { workspace_id, operation_id, card_version, assigned_at });

/** Gives a card a number, pending. */
const pending = async (caller: Caller, card_id = v7(), workstream_id: string | null = null) => {
  const operation_id = v7();
  const answer = await askForNumber(world, caller, { operation_id, card_id, workstream_id });
  if (answer.result !== 'allocated') throw new Error('not allocated');
  return { card_id, operation_id, identifier: `${answer.workstream.prefix}-${answer.number}` };
};

const notFound = { code: 'not_found' };
const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;

describe('resolve', () => {
  test('finds an issued number in any letter case without asking the card service', async () => {
    const caller = aCaller();
    const { card_id, operation_id } = await pending(caller);
    await confirmed(caller, operation_id, 1, day(1));
    for (const spelling of ['MAIN-1', 'main-1', 'mAiN-1']) expect(await resolve(caller, spelling)).toEqual({ card_id });
    expect(world.card.asked).not.toContain(operation_id);
  });

  test.each([
    'MAIN-2',
    'MAIN-01',
    'MAIN-0',
    ' MAIN-1',
    'MAIN-1 ',
    'MAIN',
    'NONE-1',
    'MAIN-999999999999999',
    'MAIN-9999999999999999',
    '',
  ])('%j was never issued', async (identifier) => {
    const caller = aCaller();
    const { operation_id } = await pending(caller);
    await confirmed(caller, operation_id, 1, day(1));
    await expect(resolve(caller, identifier)).rejects.toMatchObject(notFound);
  });

  test("another workspace's identifier is not found", async () => {
    const caller = aCaller();
    const { operation_id } = await pending(caller);
    await confirmed(caller, operation_id, 1, day(1));
    await expect(resolve(aCaller(), 'MAIN-1')).rejects.toMatchObject(notFound);
  });

  test('a pending number that committed is confirmed on the way, and is not asked about again', async () => {
    const caller = aCaller();
    const { card_id, operation_id, identifier } = await pending(caller);
    world.card.committed.set(operation_id, { card_version: 1, assigned_at: day(1) });
    expect(await resolve(caller, identifier)).toEqual({ card_id });
    expect(await resolve(caller, identifier)).toEqual({ card_id });
    expect(world.card.asked.filter((asked) => asked === operation_id)).toHaveLength(1);
    expect(await history(caller, card_id, identifier)).toMatchObject([{ assigned_at: day(1) }]);
  });

  test('a pending number that has not committed is not found', async () => {
    const caller = aCaller();
    const { operation_id, identifier } = await pending(caller);
    await expect(resolve(caller, identifier)).rejects.toMatchObject(notFound);
    expect(world.card.asked).toContain(operation_id);
  });

  test('an operation that the card service forgot because it was confirmed meanwhile is found', async () => {
    const caller = aCaller();
    const { card_id, operation_id, identifier } = await pending(caller);
    world.card.committed.set(operation_id, async () => {
      await confirmed(caller, operation_id, 1, day(1));
      return undefined;
    });
    expect(await resolve(caller, identifier)).toEqual({ card_id });
  });

  test('a number that nobody can tell of now is unavailable, not unknown', async () => {
    const caller = aCaller();
    const { operation_id, identifier } = await pending(caller);
    world.card.committed.set(operation_id, () => Promise.reject(unavailable('down')));
    await expect(resolve(caller, identifier)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('many at once each get their own answer', async () => {
    const caller = aCaller();
    const numbers = await Promise.all(Array.from({ length: 30 }, () => pending(caller)));
    await Promise.all(numbers.map(({ operation_id }) => confirmed(caller, operation_id, 1, day(1))));
    const answers = await Promise.all(
      numbers.flatMap(({ identifier }) => [
        resolve(caller, identifier),
        resolve(aCaller(), identifier).catch((error) => error.code),
      ]),
    );
    expect(answers).toEqual(numbers.flatMap(({ card_id }) => [{ card_id }, 'not_found']));
  });
});

describe('history', () => {
  const transferred = async (caller: Caller) => {
    const web = await aWorkstream(world, caller, 'WEB');
    const first = await pending(caller);
    await confirmed(caller, first.operation_id, 1, day(1));
    const second = await pending(caller, first.card_id, web.id);
    await confirmed(caller, second.operation_id, 3, day(2));
    return { web, card_id: first.card_id };
  };

  test("lists a card's identifiers, oldest first, the current one as current", async () => {
    const caller = aCaller();
    const { web, card_id } = await transferred(caller);
    expect(await history(caller, card_id, 'WEB-1')).toEqual([
      {
        identifier: 'MAIN-1',
        workstream: { id: expect.any(String), name: 'Main', prefix: 'MAIN' },
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
  });

  test('of a card read before its last transfer is that of the moment of the reading', async () => {
    const caller = aCaller();
    const { card_id } = await transferred(caller);
    expect(await history(caller, card_id, 'MAIN-1')).toMatchObject([
      { identifier: 'MAIN-1', is_current: true, superseded_at: null },
    ]);
  });

  test('asks about the pending ones: a committed one is in, one that has not committed is not', async () => {
    const caller = aCaller();
    const { card_id } = await transferred(caller);
    const third = await pending(caller, card_id);
    world.card.committed.set(third.operation_id, { card_version: 4, assigned_at: day(3) });
    await pending(caller, card_id);
    expect(await history(caller, card_id, third.identifier)).toMatchObject([
      { identifier: 'MAIN-1', is_current: false },
      { identifier: 'WEB-1', is_current: false, superseded_at: day(3) },
      { identifier: 'MAIN-2', is_current: true },
    ]);
  });

  test("of another workspace's card is not found", async () => {
    const { card_id } = await transferred(aCaller());
    await expect(history(aCaller(), card_id, 'WEB-1')).rejects.toMatchObject(notFound);
  });
});

describe('confirm', () => {
  test('keeps the first version and time, however often it comes', async () => {
    const caller = aCaller();
    const { card_id, operation_id, identifier } = await pending(caller);
    await Promise.all([1, 1, 1].map(() => confirmed(caller, operation_id, 1, day(1))));
    await confirmed(caller, operation_id, 9, day(9));
    expect(await history(caller, card_id, identifier)).toMatchObject([{ assigned_at: day(1) }]);
  });

  test('of an operation that has no number is refused, and does not touch its neighbours', async () => {
    const caller = aCaller();
    const { card_id, operation_id, identifier } = await pending(caller);
    const [unknown, known] = await Promise.allSettled([
      confirmed(caller, v7(), 1, day(1)),
      confirmed(caller, operation_id, 1, day(1)),
    ]);
    expect(unknown).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect(known).toMatchObject({ status: 'fulfilled', value: { confirmed: true } });
    expect(await resolve(caller, identifier)).toEqual({ card_id });
  });

  test.each([cardCreated, cardTransferred])('comes by the event $type too', async (contract) => {
    const caller = aCaller();
    const { card_id, operation_id, identifier } = await pending(caller);
    const state = { board_id: v7(), title: 'A card', workstream_id: v7(), completed_at: null, archived_at: null };
    await world.bus.publish({
      id: v7(),
      type: contract.type,
      version: 1,
      occurred_at: day(4),
      workspace_id: caller.workspace_id,
      request_id: 'r',
      aggregate_id: card_id,
      aggregate_version: 2,
      data: { ...state, identifier, operation_id },
    });
    await expect.poll(() => resolve(caller, identifier).catch((error) => error.code)).toEqual({ card_id });
    expect(await history(caller, card_id, identifier)).toMatchObject([{ assigned_at: day(4) }]);
  });
});

describe('sweepers', () => {
  const logger = createLogger({ service: 'identifier', level: 'silent' });

  test('settle the numbers that stay pending, past those that cannot be settled', async () => {
    const caller = aCaller();
    const stuck = await pending(caller);
    const lost = await pending(caller);
    world.card.committed.set(lost.operation_id, { card_version: 1, assigned_at: day(5) });
    world.card.committed.set(stuck.operation_id, () => Promise.reject(new Error('down')));
    const later = { ...instance.parts, logger, now: () => new Date(Date.now() + 60_000) };
    const sweeper = settlePending(later, { ageMs: 5_000, intervalMs: 60_000 });
    onTestFinished(() => sweeper.stop());

    await expect.poll(() => world.card.asked).toEqual(expect.arrayContaining([lost.operation_id, stuck.operation_id]));
    await sweeper.stop();
    world.card.committed.delete(lost.operation_id);
    expect(await resolve(caller, lost.identifier)).toEqual({ card_id: lost.card_id });
  });

  test('come to every number in the end, behind hundreds that cannot be settled', async () => {
    const caller = aCaller();
    const stuck = await Promise.all(Array.from({ length: 450 }, () => pending(caller)));
    const last = await pending(caller);
    world.card.committed.set(last.operation_id, { card_version: 1, assigned_at: day(5) });
    const later = { ...instance.parts, logger, now: () => new Date(Date.now() + 60_000) };
    const sweeper = settlePending(later, { ageMs: 5_000, intervalMs: 1 });
    onTestFinished(() => sweeper.stop());

    await expect.poll(() => world.card.asked).toContain(last.operation_id);
    const [first] = stuck;
    const timesAsked = () => world.card.asked.filter((asked) => asked === first?.operation_id).length;
    await expect.poll(timesAsked).toBeGreaterThan(1);
  });

  test('leave young numbers to the protocol', async () => {
    const caller = aCaller();
    const { operation_id } = await pending(caller);
    const sweeper = settlePending({ ...instance.parts, logger }, { ageMs: 60_000, intervalMs: 60_000 });
    await sweeper.stop();
    expect(world.card.asked).not.toContain(operation_id);
  });

  test('forget refusals and stored responses after their time', async () => {
    const caller = aCaller();
    const operation = { operation_id: v7(), card_id: v7() };
    await askForNumber(world, caller, { ...operation, workstream_id: v7() });
    const web = await aWorkstream(world, caller, 'WEB');
    const stillThere = await askForNumber(world, caller, { ...operation, workstream_id: web.id });
    expect(stillThere).toEqual({ result: 'refused', reason: 'not_found' });

    const retentionMs = 60_000;
    await purge({ ...instance.parts, logger }, { retentionMs }).stop();
    expect(await askForNumber(world, caller, { ...operation, workstream_id: web.id })).toEqual(stillThere);

    const later = () => new Date(Date.now() + 2 * retentionMs);
    await purge({ ...instance.parts, logger, now: later }, { retentionMs }).stop();
    expect(await askForNumber(world, caller, { ...operation, workstream_id: web.id })).toMatchObject({ number: 1 });
  });
});
