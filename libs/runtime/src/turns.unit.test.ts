import { CardinalError } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { newContext, runInContext } from './context.ts';
import { createTurns } from './turns.ts';

const busy = 'Too much is asked for';

/** Turns that are taken as users of workspaces (`a1` is user 1 of workspace a), in the order in which they came. */
const table = (options: { atOnce: number; perWorkspace: number }) => {
  const turns = createTurns({ ...options, busy });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const as = <T>(who: string, work: () => T, timeoutMs = 60_000) => {
    const caller = { workspaceId: who[0] ?? '', userId: who };
    return runInContext({ ...newContext({ timeoutMs }), caller }, work);
  };
  const take = (...all: string[]) => {
    for (const who of all) {
      void as(who, turns.take).then((end) => {
        begun.push(who);
        ends.push(end);
      });
    }
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends all that is under way, one after the other, until nothing waits. */
  const finish = async () => {
    await settled();
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await settled();
    }
    return begun.join(' ');
  };
  return { turns, as, take, begun, ends, settled, finish };
};

describe('turns', () => {
  it('go from workspace to workspace, and within one from user to user', async () => {
    const { take, finish } = table({ atOnce: 1, perWorkspace: 1 });
    take('a1', 'a1', 'a1', 'a1', 'a2', 'b1', 'b1', 'c1');
    expect(await finish()).toBe('a1 b1 c1 a2 b1 a1 a1 a1');
  });

  it('come first to what was begun before', async () => {
    const { turns, as, take, begun, finish } = table({ atOnce: 1, perWorkspace: 1 });
    take('a1', 'a1');
    const further = as('a1', () => turns.take({ first: true })).then((end) => {
      begun.push('further');
      end();
    });
    expect(await finish()).toBe('a1 further a1');
    await further;
  });

  it('leave room that a workspace may not take, whatever it asks for', async () => {
    const { take, begun, settled, finish } = table({ atOnce: 3, perWorkspace: 2 });
    take('a1', 'a1', 'a1', 'a2');
    await settled();
    expect(begun).toEqual(['a1', 'a1']);
    take('b1');
    await settled();
    expect(begun).toEqual(['a1', 'a1', 'b1']);
    expect(await finish()).toBe('a1 a1 b1 a2 a1');
  });

  it('of nobody may take all the room, but are one of those that take turns', async () => {
    const { turns, take, begun, ends, settled } = table({ atOnce: 2, perWorkspace: 1 });
    const nobodys = Array.from({ length: 4 }, () => turns.take().then((end) => ends.push(end)));
    take('a1');
    await settled();
    expect([ends.length, begun, turns.waiting()]).toEqual([2, [], 3]);
    ends.shift()?.();
    await settled();
    ends.shift()?.();
    await settled();
    expect(begun).toEqual(['a1']);
    while (ends.length > 0) {
      ends.shift()?.();
      await settled();
    }
    await Promise.all(nobodys);
    expect(turns.waiting()).toBe(0);
  });

  it('are given up at the deadline, and passed over then', async () => {
    const { turns, as, take, finish } = table({ atOnce: 1, perWorkspace: 1 });
    take('a1');
    await expect(as('b1', turns.take, 20)).rejects.toEqual(new CardinalError('unavailable', busy));
    expect(turns.waiting()).toBe(0);
    take('b2');
    expect(await finish()).toBe('a1 b2');
  });

  it('end with the work, also where it fails', async () => {
    const { turns } = table({ atOnce: 1, perWorkspace: 1 });
    await expect(turns.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.run(async () => 'next')).toBe('next');
  });
});
