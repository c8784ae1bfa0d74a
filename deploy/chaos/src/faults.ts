import { formerBuild, waitFor } from '@cardinal/servers';
import { type Instance, type Parts, takeOne } from './members.ts';
import { networkFaults } from './network-faults.ts';
import { shuffled } from './random.ts';
import { serverFaults } from './server-faults.ts';
import type { Fault, Injector, Random } from './system.ts';

/** Places at which a service kills itself; what else there is (libs/runtime, `failpoints`) belongs to others. */
const failpointsOf: Record<string, string[]> = {
  card: ['before-commit', 'after-commit', 'before-record', 'between-record-and-mark', 'between-publish-and-mark'],
  identifier: [
    'after-grant',
    'after-archive-intent',
    'after-close',
    'before-archive-commit',
    'after-archive-commit',
    'between-publish-and-mark',
  ],
  dependency: ['between-publish-and-mark'],
  attachment: ['between-publish-and-mark', 'after-upload-stored', 'amid-check', 'amid-renditions'],
};

const readyMs = 60_000;
const isReady = (instance: Instance) =>
  waitFor(async () => ((await instance.lacks()) === undefined ? true : undefined), { timeoutMs: readyMs });

/** Clocks are apart by this much at most, seconds; tokens are good for hours. */
const mostApart = 600;

const shiftedClock = (ms: number) => {
  const url = new URL('shifted-clock.ts', import.meta.url);
  url.searchParams.set('ms', String(ms));
  return url;
};

/** Faults of the services' own processes. */
const processFaults = ({ instances }: Parts): Record<string, Injector> => {
  const restart = async (instance: Instance, change?: Parameters<Instance['start']>[0]) => {
    await instance.end();
    await instance.start(change);
  };
  const back = (instance: Instance) => async () => restart(instance);
  return {
    kill: async (random, taken) => {
      const instance = takeOne(random, taken, instances);
      if (!instance) return undefined;
      await instance.end('SIGKILL');
      return { members: [instance.name], detail: 'SIGKILL', mend: () => instance.start() };
    },
    failpoint: async (random, taken) => {
      const instance = takeOne(
        random,
        taken,
        instances.filter(({ service }) => failpointsOf[service]),
      );
      if (!instance) return undefined;
      const failpoint = random.pick(failpointsOf[instance.service] ?? []);
      await restart(instance, { env: { FAILPOINT: failpoint }, dies: true });
      const fault: Fault = {
        members: [instance.name],
        detail: `armed ${failpoint}`,
        mend: async () => {
          if (instance.pid() === undefined) fault.detail = `killed ${failpoint}`;
          await restart(instance);
        },
      };
      return fault;
    },
    pause: async (random, taken) => {
      const instance = takeOne(random, taken, instances);
      if (!instance) return undefined;
      instance.signal('SIGSTOP');
      return { members: [instance.name], detail: 'SIGSTOP', mend: async () => instance.signal('SIGCONT') };
    },
    'kill-all-of-a-service': async (random, taken) => {
      const services = [...new Set(instances.map(({ service }) => service))].filter((service) =>
        instances.every((one) => one.service !== service || !taken.has(one.name)),
      );
      if (services.length === 0) return undefined;
      const service = random.pick(services);
      const hit = instances.filter((one) => one.service === service);
      for (const { name } of hit) taken.add(name);
      await Promise.all(hit.map((one) => one.end('SIGKILL')));
      return {
        members: hit.map(({ name }) => name),
        detail: `every ${service}`,
        mend: async () => void (await Promise.all(hit.map((one) => one.start()))),
      };
    },
    clock: async (random, taken) => {
      const instance = takeOne(random, taken, instances);
      if (!instance) return undefined;
      const seconds = random.int(60, mostApart) * random.pick([1, -1]);
      await restart(instance, { preload: shiftedClock(seconds * 1_000) });
      return { members: [instance.name], detail: `${seconds} s apart`, mend: back(instance) };
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
          await restart(instance);
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
  };
};

/** Instances of the former release beside those of this one: one of some services each. */
const twoVersions =
  ({ instances }: Parts, build: string): Injector =>
  async (random: Random, taken) => {
    const services = shuffled(random, [...new Set(instances.map(({ service }) => service))]);
    const hit = services.slice(0, random.int(1, services.length)).flatMap((service) => {
      const ofService = instances.filter((one) => one.service === service);
      return takeOne(random, taken, ofService) ?? [];
    });
    if (hit.length === 0) return undefined;
    const replace = async (change?: Parameters<Instance['start']>[0]) => {
      await Promise.all(
        hit.map(async (instance) => {
          await instance.end();
          await instance.start(change);
        }),
      );
    };
    await replace({ build });
    return { members: hit.map(({ name }) => name), detail: 'the former release', mend: () => replace() };
  };

/** Every fault of a system of processes by its kind, and which of them cannot be injected here. */
export const localFaults = (parts: Parts): { faults: Record<string, Injector>; impossible: Record<string, string> } => {
  const { faults: ofServers, impossible } = serverFaults(parts);
  const build = formerBuild();
  if (!build) impossible['two-versions'] = 'the history of this checkout lacks the commit of deploy/former-release';
  return {
    faults: {
      ...processFaults(parts),
      ...(build ? { 'two-versions': twoVersions(parts, build) } : {}),
      ...ofServers,
      ...networkFaults(parts),
    },
    impossible,
  };
};
