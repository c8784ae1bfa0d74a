import { describe, expect, it, vi } from 'vitest';
import { anyContract, refusedWith, signal, soon, useBroker, within } from './fixtures.ts';

const broker = useBroker();

describe('deadlines and second tries', () => {
  it('a call whose deadline passes is rejected alone', async () => {
    const late = signal();
    const { contract, client } = await broker.serving(async ({ n }) => {
      if (n === 1) await new Promise(() => {});
      if (n === 2) await late.sent;
      return { n };
    });
    const over = within(200, () => client.call(contract, { n: 1 }));
    const still = within(60_000, () => client.call(contract, { n: 2 }));
    await expect(over).rejects.toSatisfy(refusedWith('unavailable'));
    late.send();
    expect(await still).toEqual({ n: 2 });
  });

  it('a call with a shorter time of its own does not outlive it', async () => {
    const { contract, client } = await broker.serving(() => new Promise(() => {}));
    const start = Date.now();
    const call = within(60_000, () => client.call(contract, { n: 1 }, { timeoutMs: 150 }));
    await expect(call).rejects.toSatisfy(refusedWith('unavailable'));
    expect(Date.now() - start).toBeLessThan(30_000);
  });

  it('a call without an answer after half of its time is sent once more, and not a third time', async () => {
    const runs = [0, 0];
    const { contract, client } = await broker.serving(async ({ n }) => {
      runs[n] = (runs[n] ?? 0) + 1;
      if (n === 1 || runs[n] === 1) await new Promise(() => {});
      return { n };
    });
    const lost = within(4_000, () => client.call(contract, { n: 0 }));
    const deaf = within(4_000, () => client.call(contract, { n: 1 }));
    expect(await lost).toEqual({ n: 0 });
    await expect(deaf).rejects.toSatisfy(refusedWith('unavailable'));
    expect(runs).toEqual([2, 2]);
  });

  it('the late answer to the first try counts', async () => {
    const first = signal();
    let runs = 0;
    const { contract, client } = await broker.serving(async () => {
      runs += 1;
      const n = runs;
      if (n === 2) {
        first.send();
        await new Promise(() => {});
      }
      await first.sent;
      return { n };
    });
    expect(await within(6_000, () => client.call(contract, { n: 0 }))).toEqual({ n: 1 });
  });

  it('a call without a listener is rejected long before the deadline', async () => {
    const client = await broker.bus();
    const call = within(3_600_000, () => client.call(anyContract(), { n: 1 }, { timeoutMs: 3_600_000 }));
    await expect(call).rejects.toThrow(/Nobody serves/);
  });

  it('reaches a service that comes back while it tries again', async () => {
    const contract = anyContract();
    const [server, client] = [await broker.bus(), await broker.bus()];
    const call = client.call(contract, { n: 1 });
    await client.ping();
    server.serve(contract, async ({ n }) => ({ n }));
    expect(await call).toEqual({ n: 1 });
  });
});

describe('drain', () => {
  it('finishes what is in hand, calls of its own included, and serves nothing more', async () => {
    const [contract, inner] = [anyContract(), anyContract()];
    const [server, other, client] = [
      await broker.bus({ drainTimeoutMs: 10_000 }),
      await broker.bus(),
      await broker.bus(),
    ];
    const [began, go] = [signal(), signal()];
    other.serve(inner, async ({ n }) => ({ n }));
    await other.ping();
    server.serve(contract, async ({ n }) => {
      began.send();
      await go.sent;
      return server.call(inner, { n });
    });
    await server.ping();
    const inHand = client.call(contract, { n: 1 });
    await began.sent;
    const drained = server.drain();
    expect(server.isHealthy()).toBe(false);
    const refused = () => client.call(contract, { n: 2 }, { timeoutMs: 90 });
    await vi.waitFor(() => expect(refused()).rejects.toThrow('Nobody serves'), soon);
    go.send();
    expect(await inHand).toEqual({ n: 1 });
    await drained;
    await expect(server.call(inner, { n: 1 })).rejects.toSatisfy(refusedWith('unavailable'));
  });

  it('abandons work that takes too long', async () => {
    const began = signal();
    const { contract, server, client } = await broker.serving(() => {
      began.send();
      return new Promise(() => {});
    });
    const call = within(2_000, () => client.call(contract, { n: 1 })).catch(() => 'given up');
    await began.sent;
    await server.drain();
    expect(await call).toBe('given up');
  });
});
