import { eventually, startProxy } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { anyContract, refusedWith, signal, useBroker, within } from './fixtures.ts';

const broker = useBroker();
const stateSetting = () => ({ ...anyContract(), setsState: true });

describe('a request that sets a state and has no command', () => {
  it('does not run where it is read after its sender sent it again or abandoned it', async () => {
    const proxy = await startProxy(broker.server().url);
    const carriedOut: number[] = [];
    const serve = async ({ n }: { n: number }) => {
      carriedOut.push(n);
      return { n };
    };
    const setting = { contract: stateSetting(), serverAt: proxy.url };
    const { contract, server: late, client } = await broker.serving(serve, setting);

    proxy.hold();
    const calls = [1, 2, 3].map((n) => within(1_000, () => client.call(contract, { n })));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    proxy.release();
    // On a busy machine the connection may have it only later.
    await eventually(() => late.ping());
    expect(carriedOut).toEqual([]);

    expect(await client.call(contract, { n: 4 })).toEqual({ n: 4 });
    expect(carriedOut).toEqual([4]);
  });

  it('is not sent a third time when the connection returns while the second message is in flight', async () => {
    const proxy = await startProxy(broker.server().url);
    const second = signal();
    let sendings = 0;
    const serve = async ({ n }: { n: number }) => {
      sendings += 1;
      if (sendings === 2) second.send();
      return sendings < 3 ? new Promise<never>(() => {}) : { n };
    };
    const { contract, client } = await broker.serving(serve, { contract: stateSetting(), clientAt: proxy.url });
    const call = within(4_000, () => client.call(contract, { n: 1 }));
    await second.sent;
    proxy.cut();
    await expect(call).rejects.toSatisfy(refusedWith('unavailable'));
    expect(client.isHealthy()).toBe(true);
    expect(sendings).toBe(2);
  });

  it('is answered by its last message only, which would repeat the effect of the first', async () => {
    const contract = stateSetting();
    const [server, client] = [await broker.bus(), await broker.bus()];
    const [second, firstAnswered] = [signal(), signal()];
    let runs = 0;
    server.serve(contract, async () => {
      runs += 1;
      const run = runs;
      if (run === 1) {
        await second.sent;
        // The caller reads what follows after it.
        setImmediate(() => server.ping().then(() => firstAnswered.send()));
      } else {
        second.send();
        await firstAnswered.sent;
      }
      return { n: run };
    });
    await server.ping();
    expect(await within(6_000, () => client.call(contract, { n: 0 }))).toEqual({ n: 2 });
  });
});
