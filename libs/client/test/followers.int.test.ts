import { setTimeout as pause } from 'node:timers/promises';
import { eventually, rounds, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../src/index.ts';

const followersCount = rounds(200, 40);
const restarts = rounds(10, 2);
/** A follower reconnects within a second; the rest is for a busy machine. */
const longestAwayMs = 20_000;

let world: World;
beforeAll(async () => {
  world = await startWorld({ apart: true, instances: { gateway: 2 }, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

/** Sends requests to the gateways round robin, as a load balancer does; to the next one where nothing listens. */
const balanced = (): typeof fetch => {
  let turn = 0;
  return async (input, init) => {
    const { baseUrls } = world;
    turn += 1;
    const [first = '', second = ''] = [baseUrls[turn % 2], baseUrls[(turn + 1) % 2]];
    const at = (baseUrl: string) => fetch(String(input).replace(baseUrls[0] ?? '', baseUrl), init);
    return at(first).catch((error) => {
      if (error.cause?.code !== 'ECONNREFUSED') throw error;
      return at(second);
    });
  };
};

it(`${followersCount} followers miss and repeat nothing while gateways are restarted one after the other`, async () => {
  const workspace = crypto.randomUUID();
  const clientOf = async () =>
    createClient({
      baseUrl: world.baseUrls[0] ?? '',
      token: await world.token({ workspace }),
      fetch: balanced(),
      retry: { baseMs: 50, capMs: 500 },
    });
  const writer = await clientOf();
  const board = await writer.boards.create({ name: 'Followed' });
  const column = await writer.columns.create(board.id, { name: 'To do' });

  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const failures: unknown[] = [];
  const followers = await Promise.all(
    Array.from({ length: followersCount }, async () => {
      const client = await clientOf();
      const seqs: number[] = [];
      let [lastAt, longest] = [performance.now(), 0];
      const done = (async () => {
        for await (const { seq } of client.events.follow({ after: 0, signal: stopping.signal })) {
          const now = performance.now();
          longest = Math.max(longest, now - lastAt);
          lastAt = now;
          seqs.push(seq);
        }
      })().catch((error) => failures.push(error));
      return { seqs, done, longest: () => longest };
    }),
  );
  await eventually(() => expect(followers.every(({ seqs }) => seqs.length >= 2)).toBe(true));

  let isWriting = true;
  const writing = (async () => {
    for (let n = 0; isWriting; n += 1) {
      await writer.cards.create(column.id, { title: `card ${n}` });
      await pause(50);
    }
  })();
  for (let n = 0; n < restarts; n += 1) {
    await world.restart(n % 2 ? 'gateway-2' : 'gateway');
    const heard = followers.map(({ seqs }) => seqs.length);
    await eventually(() => expect(followers.every(({ seqs }, at) => seqs.length > (heard[at] ?? 0))).toBe(true));
  }
  isWriting = false;
  await writing;

  const { id } = await writer.cards.create(column.id, { title: 'the last one' });
  const last = await eventually(async () => {
    const all = await writer.events.list({ after: 0 }).all();
    const at = all.findIndex((event) => event.subject.id === id);
    expect(at).toBeGreaterThan(restarts * 10);
    return at + 1;
  });
  const expected = Array.from({ length: last }, (_, at) => at + 1);
  await eventually(() => expect(followers.every(({ seqs }) => seqs.length >= last)).toBe(true));
  for (const { seqs } of followers) expect(seqs.slice(0, last)).toEqual(expected);
  expect(Math.max(...followers.map(({ longest }) => longest()))).toBeLessThan(longestAwayMs);
  expect(failures).toEqual([]);
  stopping.abort();
  await Promise.all(followers.map(({ done }) => done));
});
