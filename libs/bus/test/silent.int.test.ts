import { once } from 'node:events';
import { connect } from 'node:net';
import { newContext, runInContext } from '@cardinal/runtime';
import { eventually, type TestNatsCluster, testNatsCluster } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Bus } from '../src/index.ts';
import { anyContract, soon, useBroker } from './fixtures.ts';

const broker = useBroker();
/** Time of a request of the gateway, ms. */
const timeoutMs = 5_000;
const megabyte = 1_000_000;
const linesOf = (msg: string) => broker.lines.filter((line) => line.msg === msg).length;
const attempts = () => linesOf('trying a server of the broker');
const lost = () => linesOf('lost the connection to the broker');

/** Makes a new call every 10 ms, without waiting for earlier ones, while something breaks. Times are in ms. */
const callWhile = async (client: Bus, contract: ReturnType<typeof anyContract>, breakIt: () => unknown) => {
  const [calls, failures] = [new Set<Promise<void>>(), [] as unknown[]];
  const answered = { before: 0, after: 0 };
  let brokenAt = Number.POSITIVE_INFINITY;
  let backAfter = Number.POSITIVE_INFINITY;
  let longest = 0;
  const call = async () => {
    const begun = performance.now();
    const when = begun > brokenAt ? 'after' : 'before';
    try {
      await runInContext(newContext({ timeoutMs }), () => client.call(contract, { n: 1 }));
      answered[when] += 1;
      if (when === 'after') backAfter = Math.min(backAfter, performance.now() - brokenAt);
    } catch (error) {
      failures.push(error);
    }
    longest = Math.max(longest, performance.now() - begun);
  };
  const timer = setInterval(() => calls.add(call()), 10);
  onTestFinished(() => clearInterval(timer));
  await vi.waitFor(() => expect(answered.before).toBeGreaterThan(20), { ...soon, interval: 1 });
  await breakIt();
  brokenAt = performance.now();
  await vi.waitFor(() => expect(answered.after + failures.length).toBeGreaterThan(300), { ...soon, interval: 1 });
  clearInterval(timer);
  await Promise.all(calls);
  return { failures, backAfter, longest };
};

describe('of a cluster of three servers', () => {
  let cluster: TestNatsCluster;
  beforeAll(async () => {
    cluster = await testNatsCluster();
  });
  const at = (place: number) => cluster.servers[place] as TestNatsCluster['servers'][number];
  const urlOf = (place: number) => at(place).urls.test as string;

  it.each([
    { what: 'frozen, with both ends at it', client: 0, server: 0, victim: 0 },
    { what: 'frozen, with the serving end at it', client: 0, server: 1, victim: 1 },
    { what: 'frozen, with the calling end at it', client: 2, server: 1, victim: 2 },
  ])('one that is $what, is left within three seconds, and no call fails', async (place) => {
    const victim = at(place.victim);
    onTestFinished(() => victim.restart());
    const setting = { clientAt: urlOf(place.client), serverAt: urlOf(place.server) };
    const { contract, client } = await broker.serving(async ({ n }) => ({ n }), setting);
    await eventually(() => client.call(contract, { n: 1 }));
    const outcome = await callWhile(client, contract, () => victim.freeze());
    expect(outcome.failures).toEqual([]);
    expect(outcome.backAfter).toBeLessThan(3_000);
    expect(outcome.longest).toBeLessThan(timeoutMs);
  });
});

describe('a single server', () => {
  const alone = async () => {
    const { servers } = await testNatsCluster({ size: 1 });
    const only = servers[0] as TestNatsCluster['servers'][number];
    const [bus, contract] = [await broker.bus({ url: only.urls.test as string }), anyContract()];
    bus.serve(contract, async ({ n }) => ({ n }));
    await bus.ping();
    return { only, contract, bus };
  };

  it('is left while frozen, even with more to send than sockets take', async () => {
    const { only, contract, bus } = await alone();
    only.freeze();
    const numbers = [...Array(24).keys()];
    const calls = numbers.map((n) => bus.call(contract, { n, text: 'x'.repeat(megabyte) }));
    await vi.waitFor(() => expect(bus.isHealthy()).toBe(false), soon);
    only.thaw();
    expect((await Promise.all(calls)).map(({ n }) => n)).toEqual(numbers);
  });

  it('is tried again and again while frozen, and used by one connection when it continues', async () => {
    const { only, contract, bus } = await alone();
    const [before, tried] = [lost(), attempts()];
    only.freeze();
    await vi.waitFor(() => expect(lost()).toBe(before + 1), soon);
    // Three tries and a silent stranger: the server ends them all in the order of their arrival.
    await vi.waitFor(() => expect(attempts()).toBeGreaterThan(tried + 2), soon);
    const stranger = connect(only.port as number, '127.0.0.1');
    const ended = once(stranger.resume(), 'close');
    only.thaw();
    await eventually(() => bus.call(contract, { n: 1 }));
    await ended;
    await bus.ping();
    expect(lost()).toBe(before + 1);
  });
});

describe('a process that is busy itself', () => {
  it('does not take a server for a silent one', async () => {
    const bus = await broker.bus();
    await bus.ping();
    const before = lost();
    // Longer than a server may be silent, and again before it has read what arrived meanwhile.
    for (let times = 0; times < 3; times += 1) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
      await new Promise((resolve) => setTimeout(resolve));
    }
    await bus.ping();
    expect(lost()).toBe(before);
  });
});
