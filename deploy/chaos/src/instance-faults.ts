import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '@cardinal/servers';
import type { Fault, Injector, Random, Target } from './system.ts';

/** Takes a random one that no other fault hits; undefined if there is none. */
export const takeOne = <Thing extends { name: string }>(
  random: Random,
  taken: Set<string>,
  things: readonly Thing[],
): Thing | undefined => {
  const free = things.filter(({ name }) => !taken.has(name));
  if (free.length === 0) return undefined;
  const one = random.pick(free);
  taken.add(one.name);
  return one;
};

export const everyMs = 500;

/** Repeats work while a fault lasts. @returns a function that stops it */
export const repeatedly = (work: () => unknown) => {
  let isOver = false;
  const working = (async () => {
    for (; !isOver; await pause(everyMs)) await work();
  })();
  return async () => {
    isOver = true;
    await working;
  };
};

const readyMs = 60_000;
const isReady = (target: Target) =>
  waitFor(async () => ((await target.lacks()) === undefined ? true : undefined), { timeoutMs: readyMs });

export const killed = async (hit: readonly Target[], detail = 'SIGKILL'): Promise<Fault> => {
  await Promise.all(hit.map((target) => target.end('SIGKILL')));
  return {
    members: hit.map(({ name }) => name),
    detail,
    mend: async () => void (await Promise.all(hit.map((target) => target.start()))),
  };
};

export const paused = async (target: Target): Promise<Fault> => {
  await target.signal('SIGSTOP');
  return { members: [target.name], detail: 'SIGSTOP', mend: async () => target.signal('SIGCONT') };
};

/** Faults that hit instances of services from outside, in any environment. */
export const instanceFaults = (instances: readonly (Target & { service: string })[]) =>
  ({
    kill: async (random, taken) => {
      const instance = takeOne(random, taken, instances);
      return instance && killed([instance]);
    },
    pause: async (random, taken) => {
      const instance = takeOne(random, taken, instances);
      return instance && paused(instance);
    },
    'kill-all-of-a-service': async (random, taken) => {
      const services = [...new Set(instances.map(({ service }) => service))].filter((service) =>
        instances.every((one) => one.service !== service || !taken.has(one.name)),
      );
      if (services.length === 0) return undefined;
      const service = random.pick(services);
      const hit = instances.filter((one) => one.service === service);
      for (const { name } of hit) taken.add(name);
      return killed(hit, `every ${service}`);
    },
    'rolling-restart': async (_random, taken) => {
      const hit = instances.filter(({ name }) => !taken.has(name));
      if (hit.length === 0) return undefined;
      for (const { name } of hit) taken.add(name);
      let count = 0;
      let over = false;
      const roll = async () => {
        for (const instance of hit) {
          if (over) return;
          await instance.end();
          await instance.start();
          await isReady(instance);
          count += 1;
        }
      };
      const rolled = roll();
      const fault: Fault = {
        members: hit.map(({ name }) => name),
        detail: 'SIGTERM, one after the other',
        mend: async () => {
          over = true;
          await rolled;
          fault.detail = `SIGTERM, one after the other, ${count} of ${hit.length}`;
        },
      };
      return fault;
    },
  }) satisfies Record<string, Injector>;
