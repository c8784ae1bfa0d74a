import { startProxy } from '@cardinal/testkit';
import { describe, expect, it, vi } from 'vitest';
import { anyContract, refusedWith, signal, soon, useBroker, within } from './fixtures.ts';

const broker = useBroker();
const numbers = (count: number) => [...Array(count).keys()];
/** A bus behind a proxy, which can cut it off. */
const behindProxy = async () => {
  const proxy = await startProxy(broker.server().url);
  return { proxy, bus: await broker.bus({ url: proxy.url }) };
};

describe('a connection that breaks', () => {
  it.each([
    ['caller', 60_000],
    // A lost answer is requested again after half of the time.
    ['server', 10_000],
  ])('fails no call, when it is the one of the %s', async (whose, timeoutMs) => {
    const contract = anyContract();
    const [{ proxy, bus }, other] = [await behindProxy(), await broker.bus()];
    const [server, client] = whose === 'server' ? [bus, other] : [other, bus];
    const [began, go] = [signal(), signal()];
    server.serve(contract, async ({ n }) => {
      began.send();
      if (n % 4 === 0) await go.sent;
      return { n };
    });
    await server.ping();
    const call = (count: number) =>
      numbers(count).map((n) => within(timeoutMs, () => client.call(contract, { n }, { timeoutMs })));
    const underWay = call(60);
    await began.sent;
    proxy.cut();
    go.send();
    const unnoticed = call(20);
    await vi.waitFor(() => expect(bus.isHealthy()).toBe(false), { ...soon, interval: 1 });
    const replies = await Promise.all([...underWay, ...unnoticed, ...call(20)]);
    expect(replies.map(({ n }) => n)).toEqual([...numbers(60), ...numbers(20), ...numbers(20)]);
  });
});

describe('a broker that goes away', () => {
  it('fails no call whose deadline is after its return', async () => {
    const [began, go] = [signal(), signal()];
    const { contract, client } = await broker.serving(async ({ n }) => {
      began.send();
      if (n === 1) await go.sent;
      return { n };
    });
    const call = (n: number) => within(60_000, () => client.call(contract, { n }, { timeoutMs: 60_000 }));
    const underWay = call(1);
    await began.sent;
    await broker.server().kill();
    await vi.waitFor(() => expect(client.isHealthy()).toBe(false), soon);
    await expect(client.ping()).rejects.toSatisfy(refusedWith('unavailable'));
    const meanwhile = call(2);
    await expect(within(100, () => client.call(contract, { n: 3 }))).rejects.toSatisfy(refusedWith('unavailable'));
    go.send();
    await broker.server().restart();
    expect(await Promise.all([underWay, meanwhile])).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('is waited for by a limited number of calls and bytes', async () => {
    const { contract, client } = await broker.serving(async ({ n }) => ({ n }));
    await broker.server().kill();
    await vi.waitFor(() => expect(client.isHealthy()).toBe(false), soon);
    const call = (n: number, text: string) =>
      within(60_000, () => client.call(contract, { n, text }, { timeoutMs: 60_000 }));
    const large = numbers(15).map((n) => call(n, 'x'.repeat(1_000_000)));
    const small = numbers(1_985).map((n) => call(n, ''));
    await expect(call(0, '')).rejects.toThrow('Too many requests wait');
    await broker.server().restart();
    const replies = await Promise.all([...large, ...small]);
    expect(replies.map(({ n }) => n)).toEqual([...numbers(15), ...numbers(1_985)]);

    await broker.server().kill();
    await vi.waitFor(() => expect(client.isHealthy()).toBe(false), soon);
    const again = numbers(16).map((n) => call(n, 'x'.repeat(1_000_000)));
    await expect(call(0, 'x'.repeat(1_000_000))).rejects.toThrow('Too many requests wait');
    await broker.server().restart();
    expect(await Promise.all(again)).toHaveLength(16);
  });

  it('does not stop a service from stopping, even with a call in flight', async () => {
    const bus = await broker.bus();
    bus.serve(anyContract(), async ({ n }) => ({ n }));
    await broker.server().kill();
    await vi.waitFor(() => expect(bus.isHealthy()).toBe(false), soon);
    const waits = within(60_000, () => bus.call(anyContract(), { n: 1 }, { timeoutMs: 60_000 }));
    await Promise.all([bus.drain(), expect(waits).rejects.toSatisfy(refusedWith('unavailable'))]);
    await broker.server().restart();
  });

  it('is waited for by a service that starts before it', async () => {
    await broker.server().kill();
    const connecting = broker.bus();
    await broker.server().restart();
    await (await connecting).ping();
  });
});
