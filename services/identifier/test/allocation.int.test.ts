import { setImmediate as nextTick } from 'node:timers/promises';
import { archiveWorkstream, listWorkstreams } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { aCaller, aCommand, askForNumber, aWorkstream, spread, startWorld, type World } from './support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
  await Promise.all([world.start(), world.start()]);
});

const numbersOf = (answers: Awaited<ReturnType<typeof askForNumber>>[]) =>
  answers.flatMap((answer) => (answer.result === 'allocated' ? [answer.number] : [])).sort((a, b) => a - b);

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const archive = (caller: ReturnType<typeof aCaller>, workstream_id: string) =>
  world.bus.call(archiveWorkstream, { ...caller, workstream_id, command: aCommand(), if_match: [1] });

test('200 operations at once, in many messages and over two instances, get the numbers 1 to 200', async () => {
  const caller = aCaller();
  const web = await aWorkstream(world, caller, 'WEB');
  const answers = await spread(200, () => askForNumber(world, caller, { workstream_id: web.id }));
  expect(numbersOf(answers)).toEqual(upTo(200));
  expect(answers.every((answer) => answer.result === 'allocated' && answer.workstream.id === web.id)).toBe(true);
});

test('operations of one message get their numbers in its order, counted for each workstream', async () => {
  const caller = aCaller();
  const [web, api] = [await aWorkstream(world, caller, 'WEB'), await aWorkstream(world, caller, 'API')];
  const wishes = [web.id, api.id, web.id, null, api.id, web.id];
  const answers = await Promise.all(wishes.map((workstream_id) => askForNumber(world, caller, { workstream_id })));
  const identifiers = answers.map((answer) =>
    answer.result === 'allocated' ? `${answer.workstream.prefix}-${answer.number}` : answer.reason,
  );
  expect(identifiers).toEqual(['WEB-1', 'API-1', 'WEB-2', 'MAIN-1', 'API-2', 'WEB-3']);
});

test('one operation, asked for 20 times at once over two instances, has one number', async () => {
  const caller = aCaller();
  const operation = { operation_id: v7(), card_id: v7() };
  const answers = await spread(20, () => askForNumber(world, caller, operation));
  expect(answers).toEqual(Array.from({ length: 20 }, () => answers[0]));
  expect(numbersOf(answers)[0]).toBe(1);
  expect(await askForNumber(world, caller)).toMatchObject({ number: 2 });
});

test('one operation twice in one message has one number', async () => {
  const caller = aCaller();
  const operation = { operation_id: v7(), card_id: v7() };
  const answers = await Promise.all([
    askForNumber(world, caller, operation),
    askForNumber(world, caller, operation),
    askForNumber(world, caller),
  ]);
  expect(answers).toMatchObject([{ number: 1 }, { number: 1 }, { number: 2 }]);
});

test('workspaces that share a message count apart', async () => {
  const callers = Array.from({ length: 20 }, () => aCaller());
  const answers = await Promise.all(
    callers.flatMap((caller) => [askForNumber(world, caller), askForNumber(world, caller)]),
  );
  expect(answers).toMatchObject(callers.flatMap(() => [{ number: 1 }, { number: 2 }]));
});

test('batches that name workstreams in opposite order count each without a gap', async () => {
  const caller = aCaller();
  const [one, two] = [await aWorkstream(world, caller, 'ONE'), await aWorkstream(world, caller, 'TWO')];
  const answers = await spread(60, async (index) => {
    const order = index % 2 === 0 ? [one.id, two.id] : [two.id, one.id];
    return Promise.all(
      order.map((workstream_id) => askForNumber(world, caller, { workstream_id, fall_back: index % 3 === 0 })),
    );
  });
  const of = (id: string) =>
    numbersOf(answers.flat().filter((answer) => answer.result === 'allocated' && answer.workstream.id === id));
  expect(of(one.id)).toEqual(upTo(60));
  expect(of(two.id)).toEqual(upTo(60));
});

describe('an archived workstream', () => {
  test('refuses an explicit target, and burns no number', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    await archive(caller, web.id);
    expect(await askForNumber(world, caller, { workstream_id: web.id })).toEqual({
      result: 'refused',
      reason: 'archived',
    });
    expect(await askForNumber(world, caller, { workstream_id: web.id, fall_back: true })).toMatchObject({
      number: 1,
      workstream: { prefix: 'MAIN' },
    });
  });

  test('answers an operation that has its number already', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const wish = { operation_id: v7(), card_id: v7(), workstream_id: web.id };
    await askForNumber(world, caller, wish);
    await archive(caller, web.id);
    expect(await askForNumber(world, caller, wish)).toMatchObject({ result: 'allocated', number: 1 });
  });

  test('gives out no number after its archiving was answered, however many race with it', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const ask = () => askForNumber(world, caller, { workstream_id: web.id });
    const before = await spread(20, ask);

    let isArchived = false;
    const archiving = archive(caller, web.id).finally(() => {
      isArchived = true;
    });
    const racing: ReturnType<typeof ask>[] = [];
    while (!isArchived) {
      racing.push(ask());
      await nextTick();
    }
    await archiving;
    const after = await spread(20, ask);

    const numbers = numbersOf([...before, ...(await Promise.all(racing))]);
    expect(numbers).toEqual(upTo(numbers.length));
    expect(after).toEqual(after.map(() => ({ result: 'refused', reason: 'archived' })));
  });
});

test('a refusal is remembered: the operation stays refused where its wish could be granted now', async () => {
  const caller = aCaller();
  const web = await aWorkstream(world, caller, 'WEB');
  const operation = { operation_id: v7(), card_id: v7() };
  const answers = await spread(6, () => askForNumber(world, caller, { ...operation, workstream_id: v7() }));
  expect(answers).toEqual(answers.map(() => ({ result: 'refused', reason: 'not_found' })));
  expect(await askForNumber(world, caller, { ...operation, workstream_id: web.id })).toEqual(answers[0]);
  expect(await askForNumber(world, caller, { workstream_id: web.id })).toMatchObject({ number: 1 });
});

test("another workspace's workstream is not found", async () => {
  const web = await aWorkstream(world, aCaller(), 'WEB');
  const answer = await askForNumber(world, aCaller(), { workstream_id: web.id });
  expect(answer).toEqual({ result: 'refused', reason: 'not_found' });
});

test('an operation that names another workstream than before is a misuse, and fails alone', async () => {
  const caller = aCaller();
  const web = await aWorkstream(world, caller, 'WEB');
  const operation = { operation_id: v7(), card_id: v7() };
  await askForNumber(world, caller, operation);
  const [misuse, neighbour] = await Promise.allSettled([
    askForNumber(world, caller, { ...operation, workstream_id: web.id }),
    askForNumber(world, caller, { workstream_id: web.id }),
  ]);
  expect(misuse).toMatchObject({ status: 'rejected', reason: { code: 'invalid_request' } });
  expect(neighbour).toMatchObject({ status: 'fulfilled', value: { number: 1 } });
});

describe('the first requests of a workspace', () => {
  test('20 at once over two instances make one MAIN, and it is announced once', async () => {
    const caller = aCaller();
    const results = await spread(20, async (index) => {
      const list = () => world.bus.call(listWorkstreams, { ...caller, archived: false, page: { limit: 10 } });
      if (index % 2 === 0) return (await list()).items.map((item) => item.id);
      const answer = await askForNumber(world, caller);
      return answer.result === 'allocated' ? [answer.workstream.id] : [];
    });
    expect(new Set(results.flat()).size).toBe(1);
    expect(results.every((ids) => ids.length === 1)).toBe(true);
    const announced = world.card.projected.filter((event) => event.workspace_id === caller.workspace_id);
    expect(announced).toMatchObject([{ data: { prefix: 'MAIN', name: 'Main', is_default: true, version: 1 } }]);
  });
});
