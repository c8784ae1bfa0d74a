import { defineSignal } from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Bus } from '../src/index.ts';
import { useBroker } from './fixtures.ts';

const broker = useBroker();
const all = Array.from({ length: 30 }, (_, n) => n);

let last = 0;
const aSignal = (each: 'service' | 'process') => {
  last += 1;
  return defineSignal(`test-${last}`, z.object({ n: z.int() }), { from: ['card'], to: ['event', 'gateway'], each });
};

/** Two processes each of two services, and one that sends to them, with what each of them received. */
const listening = async (each: 'service' | 'process') => {
  const contract = aSignal(each);
  const [sender, ...listeners] = await Promise.all(
    ['card', 'event', 'event', 'gateway', 'gateway'].map((name) => broker.bus({ name })),
  );
  const heard = listeners.map((): number[] => []);
  for (const [at, bus] of listeners.entries()) {
    bus.onSignal(contract, async ({ n }) => {
      if (n < 0) throw new Error('no negative ones');
      heard[at]?.push(n);
    });
    await bus.ping();
  }
  return { contract, sender: sender as Bus, listeners: listeners as [Bus, Bus, Bus, Bus], heard };
};
type Heard = Awaited<ReturnType<typeof listening>>['heard'];
const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);

describe('a signal', () => {
  test.each([
    ['service', ([a = [], b = [], c = [], d = []]: Heard) => [sorted([...a, ...b]), sorted([...c, ...d])], 2],
    ['process', (heard: Heard) => heard, 4],
  ] as const)('is heard once by each %s', async (each, heardBy, listeners) => {
    const { contract, sender, heard } = await listening(each);
    for (const n of all) expect(sender.signal(contract, { n })).toBe(true);
    await eventually(() => expect(heardBy(heard)).toEqual(Array(listeners).fill(all)));
  });

  test('reaches the other process where one stops', async () => {
    const { contract, sender, listeners, heard } = await listening('service');
    await listeners[0].drain();
    for (const n of all) sender.signal(contract, { n });
    await eventually(() => expect(heard[1]).toEqual(all));
    expect(heard[0]).toEqual([]);
    expect(listeners[0].signal(contract, { n: 1 }), 'nothing is sent any more either').toBe(false);
  });

  test('is logged where it is malformed or its handler fails, and later ones arrive', async () => {
    const { contract, sender, heard } = await listening('process');
    const plain = await broker.plain();
    for (const text of ['', 'no JSON', '{"n":"one"}']) plain.publish(contract.signal, text);
    await plain.flush();
    sender.signal(contract, { n: -1 });
    sender.signal(contract, { n: 1 });
    await eventually(() => expect(heard).toEqual([[1], [1], [1], [1]]));
    const logged = broker.lines.filter(({ signal }) => signal === contract.signal);
    expect(logged).toHaveLength(16);
    expect(new Set(logged.map(({ msg }) => msg))).toEqual(new Set(['a signal could not be handled']));
  });

  test('is not sent while the connection is down, which its sender sees', async () => {
    const { contract, sender, listeners, heard } = await listening('process');
    await broker.server().kill();
    await eventually(() =>
      Promise.all([sender, ...listeners].map((bus) => expect(bus.ping()).rejects.toThrow('broken'))),
    );
    expect(sender.signal(contract, { n: 1 })).toBe(false);
    await broker.server().restart();
    await eventually(() => Promise.all([sender, ...listeners].map((bus) => bus.ping())));
    expect(sender.signal(contract, { n: 2 })).toBe(true);
    await eventually(() => expect(heard).toEqual([[2], [2], [2], [2]]));
  });
});
