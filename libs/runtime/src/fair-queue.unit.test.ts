import { describe, expect, it } from 'vitest';
import { createFairQueue, type Share } from './fair-queue.ts';

interface Options {
  /** The limit of one workspace, and of all. */
  ofWorkspace?: number;
  inAll?: number;
  /** Most waiting requests: of a user, of a workspace, of all. */
  waiting?: [user: number, workspace: number, all: number];
}

const scene = ({ ofWorkspace = 1_000, inAll = 30, waiting = [3, 1_000, 5] }: Options = {}) => {
  const queue = createFairQueue({
    user: { held: 10, waiting: waiting[0] },
    workspace: { held: ofWorkspace, waiting: waiting[1] },
    all: { held: inAll, waiting: waiting[2] },
  });
  const granted: string[] = [];
  const shares = new Map<string, Share>();
  /**
   * Requests for a user, named by the letter before the request's number. `Wa1` is of workspace `W`, `a1` of a
   * workspace of its own.
   */
  const take = (name: string, amount: number | (() => number), how?: { first: boolean }) => {
    const userId = name.replace(/\d+$/, '');
    const holder = userId === 'nobody' ? undefined : { workspaceId: userId[0] ?? '', userId };
    const grant = (share: Share) => {
      granted.push(name);
      shares.set(name, share);
    };
    return queue.take(holder, typeof amount === 'number' ? () => amount : amount, grant, how);
  };
  return { queue, take, granted, shares, release: (name: string) => shares.get(name)?.release() };
};

describe('a fair queue', () => {
  it('grants what fits and queues the rest of a caller, in order, while others continue', () => {
    const { take, granted, release } = scene();
    take('a1', 6);
    take('a2', 6);
    take('a3', 1);
    take('b1', 6);
    expect(granted).toEqual(['a1', 'b1']);
    release('a1');
    expect(granted).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('gives any amount to a user that holds nothing', () => {
    const { take, granted, release } = scene();
    take('a1', 100);
    take('b1', 1);
    expect(granted).toEqual(['a1']);
    release('a1');
    expect(granted).toEqual(['a1', 'b1']);
  });

  it('counts the real amount of a request once it is known', () => {
    const { take, granted, shares } = scene();
    take('a1', 5);
    shares.get('a1')?.resize(10);
    take('a2', 1);
    expect(granted).toEqual(['a1']);
    shares.get('a1')?.resize(2);
    expect(granted).toEqual(['a1', 'a2']);
  });

  it('asks for the amount again when a waiting request is served', () => {
    const { take, granted, release } = scene();
    let needed = 5;
    take('a1', 10);
    take('a2', () => needed);
    take('a3', () => needed);
    needed = 6;
    release('a1');
    expect(granted).toEqual(['a1', 'a2']);
  });

  it('serves requests for everything one by one, round-robin by caller', () => {
    const { take, granted, release } = scene({ inAll: 10 });
    take('z1', 10);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) take(name, 5);
    release('z1');
    expect(granted).toEqual(['z1', 'a1', 'b1']);
    release('a1');
    expect(granted.at(-1)).toBe('c1');
    release('b1');
    release('c1');
    expect(granted.slice(4)).toEqual(['a2', 'a3']);
  });

  it('limits the users of a workspace together, round-robin', () => {
    const { take, granted, release } = scene({ ofWorkspace: 12, waiting: [3, 1_000, 100] });
    for (const name of ['Wa1', 'Wa2', 'Wa3', 'Wb1', 'Wc1']) take(name, 6);
    take('x1', 6);
    expect(granted).toEqual(['Wa1', 'Wb1', 'x1']);
    release('Wb1');
    release('Wa1');
    expect(granted.slice(3)).toEqual(['Wc1', 'Wa2']);
    release('Wa2');
    expect(granted.at(-1)).toBe('Wa3');
  });

  it('runs one large request of a workspace beside small ones of its other users', () => {
    const { take, granted, release } = scene({ ofWorkspace: 12, inAll: 100 });
    take('Wa1', 10);
    take('Wa2', 10);
    for (const name of ['Wb1', 'Wb2']) take(name, 1);
    expect(granted).toEqual(['Wa1', 'Wb1', 'Wb2']);
    for (const name of ['Wb1', 'Wb2']) release(name);
    take('Wc1', 10);
    take('x1', 10);
    expect(granted.slice(3)).toEqual(['x1']);
    release('Wa1');
    expect(granted.slice(4)).toEqual(['Wc1']);
  });

  it('serves workspaces round-robin, however many users of one wait for everything', () => {
    const { take, granted, release } = scene({ inAll: 10, waiting: [3, 1_000, 100] });
    take('z1', 10);
    for (const name of ['Wa1', 'Wb1', 'Wc1', 'Wd1', 'x1']) take(name, 10);
    release('z1');
    expect(granted).toEqual(['z1', 'Wa1']);
    release('Wa1');
    expect(granted.at(-1)).toBe('x1');
    release('x1');
    expect(granted.at(-1)).toBe('Wb1');
  });

  it('refuses a workspace with too many waiting requests, and no other', () => {
    const { take } = scene({ waiting: [3, 2, 100] });
    for (const name of ['Wa1', 'Wb1', 'x1']) take(name, 10);
    for (const name of ['Wa2', 'Wb2']) expect(take(name, 10)).toBeTypeOf('function');
    expect(take('Wb3', 10)).toBe('caller');
    expect(take('x2', 10)).toBeTypeOf('function');
  });

  it('lets no small request overtake a large one at the head of the queue', () => {
    const { take, granted, release } = scene({ inAll: 12 });
    take('a1', 8);
    take('b1', 8);
    take('c1', 1);
    expect(granted).toEqual(['a1']);
    release('a1');
    expect(granted).toEqual(['a1', 'b1', 'c1']);
  });

  it('reports the full queue: the caller’s or that of all', () => {
    const { take } = scene();
    take('a1', 10);
    for (const name of ['a2', 'a3', 'a4']) expect(take(name, 1)).toBeTypeOf('function');
    expect(take('a5', 1)).toBe('caller');
    take('b1', 10);
    for (const name of ['b2', 'b3']) expect(take(name, 1)).toBeTypeOf('function');
    expect(take('b4', 1)).toBe('all');
  });

  it('removes a request that gave up, and reports the limit that it waited for', () => {
    const { take, granted, release } = scene({ inAll: 12 });
    take('a1', 10);
    const own = take('a2', 10);
    take('b1', 2);
    const whole = take('c1', 5);
    expect(own).toBeTypeOf('function');
    expect(typeof own === 'function' && own()).toBe('caller');
    expect(typeof whole === 'function' && whole()).toBe('all');
    release('a1');
    release('b1');
    expect(granted).toEqual(['a1', 'b1']);
    take('d1', 10);
    expect(granted.at(-1)).toBe('d1');
  });

  it('has its full capacity again after any order of requests', () => {
    const { take, granted, release } = scene({ inAll: 12, waiting: [100, 1_000, 100] });
    for (let round = 0; round < 30; round += 1) take(`${'abc'[round % 3]}${round}`, 1 + (round % 9));
    for (let at = 0; at < granted.length; at += 1) {
      release(granted[at] ?? '');
      // A second call has no effect.
      release(granted[at] ?? '');
    }
    expect(granted).toHaveLength(30);
    take('x1', 12);
    expect(granted).toHaveLength(31);
  });

  it('serves a `first` request before others of its user, and of no other user', () => {
    const { take, granted, release } = scene({ inAll: 1 });
    for (const name of ['a1', 'a2', 'b1']) take(name, 1);
    take('a3', 1, { first: true });
    for (const name of ['a1', 'a3', 'b1']) release(name);
    expect(granted).toEqual(['a1', 'a3', 'b1', 'a2']);
  });

  it('gives work without a caller everything, round-robin with workspaces', () => {
    const { queue, take, granted, release } = scene({ ofWorkspace: 10 });
    for (const name of ['nobody1', 'nobody2', 'nobody3']) take(name, 10);
    for (const name of ['nobody4', 'nobody5', 'a1']) take(name, 10);
    expect([granted.length, queue.waiting()]).toEqual([3, 3]);
    for (const name of ['nobody1', 'nobody2', 'nobody3']) release(name);
    expect(granted.slice(3)).toEqual(['a1', 'nobody4', 'nobody5']);
    expect(queue.waiting()).toBe(0);
  });
});
