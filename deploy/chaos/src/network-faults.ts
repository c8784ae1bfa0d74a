import { takeOne } from './instance-faults.ts';
import type { Parts, Way } from './parts.ts';
import type { Disturbance } from './proxies.ts';
import type { Fault, Injector, Random } from './system.ts';

const disturbing =
  (
    ways: readonly Way[],
    draw: (random: Random) => Disturbance,
    describe: (disturbance: Disturbance) => string,
  ): Injector =>
  async (random, taken) => {
    const way = takeOne(random, taken, ways);
    if (!way) return undefined;
    const disturbance = draw(random);
    way.proxy.disturbed();
    way.proxy.disturb(disturbance);
    const fault: Fault = {
      members: [way.name],
      detail: describe(disturbance),
      mend: async () => {
        fault.detail = `${describe(disturbance)}: ${way.proxy.disturbed()}`;
        way.proxy.disturb();
      },
    };
    return fault;
  };

const percent = (share: number) => `${Math.round(share * 100)} %`;

const describe = (disturbance: Disturbance): string => {
  switch (disturbance.kind) {
    case 'dropped':
    case 'doubled':
      return `${percent(disturbance.share)} of the messages ${disturbance.kind}`;
    case 'reordered':
      return `${percent(disturbance.share)} of the messages up to ${disturbance.maxMs} ms late`;
    case 'delayed':
      return `up to ${disturbance.maxMs} ms later`;
    case 'half-open':
      return `nothing gets ${disturbance.direction}`;
    case 'reset':
      return 'connections reset';
  }
};

const share = (random: Random) => random.pick([0.02, 0.1, 0.3]);
const delayed = (random: Random): Disturbance => ({ kind: 'delayed', maxMs: random.pick([50, 500, 1_500]), random });
const halfOpen = (random: Random): Disturbance => ({
  kind: 'half-open',
  direction: random.pick(['to the server', 'from the server'] as const),
});
const reset = (): Disturbance => ({ kind: 'reset' });

/** Faults between services and servers. On the bus they hit whole messages. */
export const networkFaults = ({ ways: { bus, database } }: Parts): Record<string, Injector> => {
  const on = (ways: readonly Way[], draw: (random: Random) => Disturbance) => disturbing(ways, draw, describe);
  return {
    'bus-dropped': on(bus, (random) => ({ kind: 'dropped', share: share(random), random })),
    'bus-doubled': on(bus, (random) => ({ kind: 'doubled', share: share(random), random })),
    'bus-reordered': on(bus, (random) => ({
      kind: 'reordered',
      share: share(random),
      maxMs: random.pick([20, 200, 1_000]),
      random,
    })),
    'bus-delayed': on(bus, delayed),
    'bus-half-open': on(bus, halfOpen),
    'bus-reset': on(bus, reset),
    'database-delayed': on(database, delayed),
    'database-half-open': on(database, halfOpen),
    'database-reset': on(database, reset),
  };
};
