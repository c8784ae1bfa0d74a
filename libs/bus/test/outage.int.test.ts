import { newContext, runInContext } from '@cardinal/runtime';
import { describe, expect, it, vi } from 'vitest';
import { connectBus } from '../src/index.ts';
import { anyContract, refusedWith, signal, useBroker } from './scene.ts';

const broker = useBroker();

describe('a broker that goes away', () => {
  it('fails what is under way at once, and everything works again when it is back', async () => {
    const contract = anyContract();
    const [server, client] = [await broker.bus(), await broker.bus()];
    const began = signal();
    server.serve(contract, async ({ n }) => {
      began.send();
      if (n === 1) await new Promise(() => {});
      return { n };
    });
    await server.ping();
    const start = Date.now();
    const underWay = runInContext(newContext({ timeoutMs: 60_000 }), () =>
      client.call(contract, { n: 1 }, { timeoutMs: 60_000 }),
    );
    await began.sent;
    await Promise.all([broker.server().kill(), expect(underWay).rejects.toSatisfy(refusedWith('unavailable'))]);
    expect(Date.now() - start).toBeLessThan(10_000);
    expect(client.isHealthy()).toBe(false);
    await expect(client.ping()).rejects.toSatisfy(refusedWith('unavailable'));
    await expect(client.call(contract, { n: 2 })).rejects.toSatisfy(refusedWith('unavailable'));

    await broker.server().restart();
    await vi.waitFor(() => expect([server.isHealthy(), client.isHealthy()]).toEqual([true, true]), { timeout: 10_000 });
    await server.ping();
    expect(await client.call(contract, { n: 3 })).toEqual({ n: 3 });
  });

  it('does not keep a service from stopping', async () => {
    const bus = await broker.bus();
    bus.serve(anyContract(), async ({ n }) => ({ n }));
    await broker.server().kill();
    await vi.waitFor(() => expect(bus.isHealthy()).toBe(false));
    await bus.drain();
    await broker.server().restart();
  });

  it('is waited for by a service that starts first', async () => {
    await broker.server().kill();
    const connecting = broker.bus();
    await vi.waitFor(() =>
      expect(broker.lines).toContainEqual(expect.objectContaining({ msg: 'the broker cannot be reached yet' })),
    );
    await broker.server().restart();
    expect((await connecting).isHealthy()).toBe(true);
  });
});

describe('credentials', () => {
  it('that the broker refuses are an error, not a wait', async () => {
    const url = broker.server().url.replace(/\/\/.*@/, '//test:wrong@');
    await expect(connectBus({ url, name: 'test', logger: broker.logger })).rejects.toThrow(/authorization/i);
  });
});
