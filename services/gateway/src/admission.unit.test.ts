import { fastify } from 'fastify';
import { describe, expect, it, test } from 'vitest';
import { restAfter, underPressure } from './admission.ts';
import { createBudget, type Share } from './budget.ts';
import { type Config, configSchema } from './config.ts';

it.each([
  [0, 0],
  [65_536, 0],
  [65_537, 5],
  [1_048_576, 75],
])('the bytes of an answer of %i still count for %i ms', (bytes, ms) => {
  expect(restAfter(bytes, { RATE_LIMIT_MAX: 2_000, RATE_LIMIT_WINDOW_MS: 10_000 })).toBe(ms);
});

const scene = (options: Partial<Parameters<typeof createBudget>[0]> = {}) => {
  const budget = createBudget({
    BYTES_UNDER_WAY_PER_USER: 10,
    BYTES_UNDER_WAY_PER_WORKSPACE: 1_000,
    BYTES_UNDER_WAY: 30,
    WAITING_PER_USER: 3,
    WAITING_PER_WORKSPACE: 1_000,
    WAITING: 5,
    ...options,
  });
  const granted: string[] = [];
  const shares = new Map<string, Share>();
  /**
   * Takes bytes for a user, the letter before a request's number, of the workspace `W` in `Wa1`, otherwise of one of
   * its own.
   */
  const take = (name: string, bytes: number | (() => number)) => {
    const user = name.replace(/\d+$/, '');
    const holder = { workspace: user[0] ?? '', user };
    return budget.take(holder, typeof bytes === 'number' ? () => bytes : bytes, (share) => {
      granted.push(name);
      shares.set(name, share);
    });
  };
  return { take, granted, shares, release: (name: string) => shares.get(name)?.release() };
};

describe('a budget', () => {
  it('grants what fits and lets the rest of a caller wait, in order, while others go on', () => {
    const { take, granted, release } = scene();
    take('a1', 6);
    take('a2', 6);
    take('a3', 1);
    take('b1', 6);
    expect(granted).toEqual(['a1', 'b1']);
    release('a1');
    expect(granted).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('gives whoever holds nothing as much as he needs', () => {
    const { take, granted, release } = scene();
    take('a1', 100);
    take('b1', 1);
    expect(granted).toEqual(['a1']);
    release('a1');
    expect(granted).toEqual(['a1', 'b1']);
  });

  it('counts what a request really takes once that is known', () => {
    const { take, granted, shares } = scene();
    take('a1', 5);
    shares.get('a1')?.resize(10);
    take('a2', 1);
    expect(granted).toEqual(['a1']);
    shares.get('a1')?.resize(2);
    expect(granted).toEqual(['a1', 'a2']);
  });

  it('asks those who wait how much they need when it is their turn', () => {
    const { take, granted, release } = scene();
    let needed = 5;
    take('a1', 10);
    take('a2', () => needed);
    take('a3', () => needed);
    needed = 6;
    release('a1');
    expect(granted).toEqual(['a1', 'a2']);
  });

  it('serves those who wait for the whole one after the other by caller, whoever asked most', () => {
    const { take, granted, release } = scene({ BYTES_UNDER_WAY: 10 });
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

  it('lets the users of a workspace have no more than its part together, in turn', () => {
    const { take, granted, release } = scene({ BYTES_UNDER_WAY_PER_WORKSPACE: 12, WAITING: 100 });
    for (const name of ['Wa1', 'Wa2', 'Wa3', 'Wb1', 'Wc1']) take(name, 6);
    take('x1', 6);
    expect(granted).toEqual(['Wa1', 'Wb1', 'x1']);
    release('Wb1');
    release('Wa1');
    expect(granted.slice(3)).toEqual(['Wc1', 'Wa2']);
    release('Wa2');
    expect(granted.at(-1)).toBe('Wa3');
  });

  it('has one large page of a workspace under way unless told otherwise, beside small requests of colleagues', () => {
    const environment = { NATS_URL: 'nats://a', JWKS_FILE: 'a', TOKEN_ISSUER: 'a', TOKEN_AUDIENCE: 'a' };
    const { take, granted, release } = scene(configSchema.parse(environment));
    const [large, small] = [1_048_576, 8_192];
    take('Wa1', large);
    take('Wa2', large);
    for (let at = 1; at <= 16; at += 1) take(`Wb${at}`, small);
    expect(granted).toHaveLength(17);
    for (let at = 1; at <= 16; at += 1) release(`Wb${at}`);
    take('Wc1', large);
    take('x1', large);
    expect(granted.slice(17)).toEqual(['x1']);
    release('Wa1');
    expect(granted.slice(18)).toEqual(['Wc1']);
  });

  it('serves workspaces in turn, however many users of one wait for the whole', () => {
    const { take, granted, release } = scene({ BYTES_UNDER_WAY: 10, WAITING: 100 });
    take('z1', 10);
    for (const name of ['Wa1', 'Wb1', 'Wc1', 'Wd1', 'x1']) take(name, 10);
    release('z1');
    expect(granted).toEqual(['z1', 'Wa1']);
    release('Wa1');
    expect(granted.at(-1)).toBe('x1');
    release('x1');
    expect(granted.at(-1)).toBe('Wb1');
  });

  it('refuses a workspace with too many waiting, and nobody else', () => {
    const { take } = scene({ WAITING_PER_WORKSPACE: 2, WAITING: 100 });
    for (const name of ['Wa1', 'Wb1', 'x1']) take(name, 10);
    for (const name of ['Wa2', 'Wb2']) expect(take(name, 10)).toBeTypeOf('function');
    expect(take('Wb3', 10)).toBe('caller');
    expect(take('x2', 10)).toBeTypeOf('function');
  });

  it('lets no small request overtake a large one that is first in the row', () => {
    const { take, granted, release } = scene({ BYTES_UNDER_WAY: 12 });
    take('a1', 8);
    take('b1', 8);
    take('c1', 1);
    expect(granted).toEqual(['a1']);
    release('a1');
    expect(granted).toEqual(['a1', 'b1', 'c1']);
  });

  it('says who has too many waiting: the caller, or all together', () => {
    const { take } = scene();
    take('a1', 10);
    for (const name of ['a2', 'a3', 'a4']) expect(take(name, 1)).toBeTypeOf('function');
    expect(take('a5', 1)).toBe('caller');
    take('b1', 10);
    for (const name of ['b2', 'b3']) expect(take(name, 1)).toBeTypeOf('function');
    expect(take('b4', 1)).toBe('all');
  });

  it('forgets who gave up, and says what he waited for', () => {
    const { take, granted, release } = scene({ BYTES_UNDER_WAY: 12 });
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

  it('is whole again after any order of requests', () => {
    const { take, granted, release } = scene({ BYTES_UNDER_WAY: 12, WAITING: 100, WAITING_PER_USER: 100 });
    for (let round = 0; round < 30; round += 1) take(`${'abc'[round % 3]}${round}`, 1 + (round % 9));
    for (let at = 0; at < granted.length; at += 1) {
      release(granted[at] ?? '');
      // Twice is once.
      release(granted[at] ?? '');
    }
    expect(granted).toHaveLength(30);
    take('x1', 12);
    expect(granted).toHaveLength(31);
  });
});

test('a start that stood still for so long that nothing could be measured is no overload', async () => {
  const app = fastify();
  app.get('/', async () => 'served');
  underPressure(app, { MAX_EVENT_LOOP_DELAY_MS: 1 } as Config)(app);
  const until = performance.now() + 1_100;
  while (performance.now() < until);
  // The look at what was measured in the first second is due by now.
  await new Promise((resolve) => setTimeout(resolve));
  expect((await app.inject('/')).body).toBe('served');
  await app.close();
});
