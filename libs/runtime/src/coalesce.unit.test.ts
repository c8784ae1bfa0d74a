import { setImmediate as tick } from 'node:timers/promises';
import { CardinalError } from '@cardinal/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coalesce } from './coalesce.ts';
import { currentContext, newContext, runInContext } from './context.ts';

const gate = () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { open, opened };
};

describe('coalesce', () => {
  it('gives each submit its own answer or error, whatever the batches', async () => {
    const submission = fc.record({
      value: fc.integer(),
      fails: fc.boolean(),
      lane: fc.nat(2),
      ticksBefore: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(submission, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (submissions, concurrency, maxBatch, breaksWhole) => {
          const broken: string[] = [];
          const running = new Map<number, number>();
          const order = new Map<number, number[]>();
          const { submit } = coalesce<{ index: number; lane: number }, string>({
            name: 'tests',
            concurrency,
            maxBatch,
            laneOf: (item) => item.lane,
            run: async (items) => {
              const lane = items[0]?.lane ?? -1;
              // Not `expect`: a batch that throws is retried member by member.
              if (items.some((item) => item.lane !== lane)) broken.push('lanes are mixed');
              if (items.length > maxBatch) broken.push('the batch is too large');
              const now = (running.get(lane) ?? 0) + 1;
              if (now > concurrency) broken.push('too many batches at once');
              running.set(lane, now);
              await tick();
              running.set(lane, (running.get(lane) ?? 0) - 1);
              const failing = items.map((item) => submissions[item.index]?.fails === true);
              if (breaksWhole && failing.includes(true)) throw new Error(`failed ${items[0]?.index}`);
              order.set(lane, [...(order.get(lane) ?? []), ...items.map((item) => item.index)]);
              return items.map((item, at) => (failing[at] ? new Error(`failed ${item.index}`) : `ok ${item.index}`));
            },
          });
          const answers: Promise<unknown>[] = [];
          for (const [index, { lane, ticksBefore }] of submissions.entries()) {
            for (let ticks = 0; ticks < ticksBefore; ticks += 1) await tick();
            answers.push(submit({ index, lane }).catch((error: Error) => error.message));
          }
          const expected = submissions.map(({ fails }, index) => `${fails ? 'failed' : 'ok'} ${index}`);
          expect(await Promise.all(answers)).toEqual(expected);
          expect(broken).toEqual([]);
          if (concurrency === 1) {
            for (const indexes of order.values()) expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('makes one batch per tick, and the next of what arrived while it ran', async () => {
    const batches: number[][] = [];
    const first = gate();
    const { submit } = coalesce<number, number>({
      name: 'tests',
      run: async (items) => {
        batches.push(items);
        if (batches.length === 1) await first.opened;
        return items;
      },
    });
    const early = [submit(1), submit(2)];
    await tick();
    await tick();
    const late = [submit(3)];
    await tick();
    late.push(submit(4));
    expect(batches).toEqual([[1, 2]]);
    first.open();
    expect(await Promise.all([...early, ...late])).toEqual([1, 2, 3, 4]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('retries members one by one, each in its own context, where the batch throws', async () => {
    const runs: (string | undefined)[] = [];
    const { submit } = coalesce<string, string>({
      name: 'tests',
      run: async (items) => {
        runs.push(`${items.join()} in ${currentContext()?.requestId}`);
        if (items.length > 1 || items[0] === 'b') throw new Error(`no ${items.join()}`);
        return items;
      },
    });
    const submitAs = (item: string) =>
      runInContext(newContext({ requestId: `of ${item}`, timeoutMs: 60_000 }), () => submit(item));
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(submitAs));
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    ).toEqual(['a', 'no b', 'c']);
    expect(runs).toEqual(['a,b,c in of a', 'a in of a', 'b in of b', 'c in of c']);
  });

  it('fails where the number of results differs from the number of members', async () => {
    const { submit } = coalesce<number, number>({ name: 'tests', run: async () => [] });
    await expect(submit(1)).rejects.toThrow('0 results for a batch of 1');
  });

  it('does not run a member whose deadline passed while it waited', async () => {
    const ran: number[] = [];
    const first = gate();
    const { submit } = coalesce<number, number>({
      name: 'tests',
      run: async (items) => {
        ran.push(...items);
        if (items.includes(1)) await first.opened;
        return items;
      },
    });
    const running = submit(1);
    await tick();
    await tick();
    const expired = runInContext({ ...newContext({ timeoutMs: 0 }), deadline: Date.now() - 1 }, () => submit(2));
    const waiting = submit(3);
    first.open();
    await expect(expired).rejects.toSatisfy((error) => error instanceof CardinalError && error.code === 'unavailable');
    expect(await Promise.all([running, waiting])).toEqual([1, 3]);
    expect(ran).toEqual([1, 3]);
  });

  it('refuses items while a lane is full, and accepts more once it has room', async () => {
    const { open, opened } = gate();
    const { submit } = coalesce<number, number>({
      name: 'tests',
      maxWaiting: 2,
      run: async (items) => {
        await opened;
        return items;
      },
    });
    const first = submit(1);
    await tick();
    const waiting = [submit(2), submit(3)];
    await expect(submit(4)).rejects.toMatchObject({ code: 'unavailable' });
    open();
    expect(await Promise.all([first, ...waiting])).toEqual([1, 2, 3]);
    expect(await submit(5)).toBe(5);
  });
});
