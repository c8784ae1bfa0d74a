import { CardinalError } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { newContext, runInContext } from './context.ts';
import { createFairSemaphore } from './fair-semaphore.ts';

const busy = 'Too much is asked for';

/** Acquires permits as users of workspaces (`a1` is user 1 of workspace a), and notes the order. */
const table = (options: { atOnce: number; perWorkspace: number }) => {
  const semaphore = createFairSemaphore({ ...options, busy });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const as = <T>(who: string, work: () => T, timeoutMs = 60_000) => {
    const caller = { workspaceId: who[0] ?? '', userId: who };
    return runInContext({ ...newContext({ timeoutMs }), caller }, work);
  };
  const take = (...all: string[]) => {
    for (const who of all) {
      void as(who, semaphore.acquire).then((end) => {
        begun.push(who);
        ends.push(end);
      });
    }
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends all that runs, one after the other, until nothing waits. */
  const finish = async () => {
    await settled();
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await settled();
    }
    return begun.join(' ');
  };
  return { semaphore, as, take, begun, ends, settled, finish };
};

describe('a fair semaphore', () => {
  it('serves workspaces round-robin, and users within each', async () => {
    const { take, finish } = table({ atOnce: 1, perWorkspace: 1 });
    take('a1', 'a1', 'a1', 'a1', 'a2', 'b1', 'b1', 'c1');
    expect(await finish()).toBe('a1 b1 c1 a2 b1 a1 a1 a1');
  });

  it('serves first what has begun', async () => {
    const { semaphore, as, take, begun, finish } = table({ atOnce: 1, perWorkspace: 1 });
    take('a1', 'a1');
    const further = as('a1', () => semaphore.acquire({ first: true })).then((end) => {
      begun.push('further');
      end();
    });
    expect(await finish()).toBe('a1 further a1');
    await further;
  });

  it('keeps room that one workspace cannot take', async () => {
    const { take, begun, settled, finish } = table({ atOnce: 3, perWorkspace: 2 });
    take('a1', 'a1', 'a1', 'a2');
    await settled();
    expect(begun).toEqual(['a1', 'a1']);
    take('b1');
    await settled();
    expect(begun).toEqual(['a1', 'a1', 'b1']);
    expect(await finish()).toBe('a1 a1 b1 a2 a1');
  });

  it('gives work without a caller all the room, round-robin with workspaces', async () => {
    const { semaphore, take, begun, ends, settled } = table({ atOnce: 2, perWorkspace: 1 });
    const withoutCaller = Array.from({ length: 4 }, () => semaphore.acquire().then((end) => ends.push(end)));
    take('a1');
    await settled();
    expect([ends.length, begun, semaphore.waiting()]).toEqual([2, [], 3]);
    ends.shift()?.();
    await settled();
    ends.shift()?.();
    await settled();
    expect(begun).toEqual(['a1']);
    while (ends.length > 0) {
      ends.shift()?.();
      await settled();
    }
    await Promise.all(withoutCaller);
    expect(semaphore.waiting()).toBe(0);
  });

  it('ends the wait at the deadline, and skips the request then', async () => {
    const { semaphore, as, take, finish } = table({ atOnce: 1, perWorkspace: 1 });
    take('a1');
    await expect(as('b1', semaphore.acquire, 20)).rejects.toEqual(new CardinalError('unavailable', busy));
    expect(semaphore.waiting()).toBe(0);
    take('b2');
    expect(await finish()).toBe('a1 b2');
  });

  it('returns the permit at the end of the work, also where it fails', async () => {
    const { semaphore } = table({ atOnce: 1, perWorkspace: 1 });
    await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await semaphore.run(async () => 'next')).toBe('next');
  });
});
