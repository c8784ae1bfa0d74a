import { allServices, buildBefore, type Change, hasService, type Instance } from '@cardinal/servers';
import { instanceFaults, takeOne } from './instance-faults.ts';
import { networkFaults } from './network-faults.ts';
import type { Parts } from './parts.ts';
import { shuffled } from './random.ts';
import { serverFaults } from './server-faults.ts';
import type { Fault, Injector, Random } from './system.ts';

/** Failpoints at which a service kills itself. Other failpoints (libs/runtime, `failpoints`) are not used here. */
const failpointsOfService: Partial<Record<string, string[]>> = {
  card: ['between-take-and-move', 'before-commit', 'after-commit', 'before-record', 'between-record-and-mark'],
  identifier: [
    ...['after-grant', 'after-archive-intent', 'after-close', 'before-archive-commit', 'after-archive-commit'],
    ...['after-opening-intent', 'after-open-range', 'before-opening-commit', 'after-opening-commit'],
  ],
  dependency: ['between-take-and-move'],
  attachment: ['between-take-and-move', 'after-upload-stored', 'amid-check', 'amid-renditions'],
};

const failpointsOf = (service: string): string[] =>
  service === allServices
    ? Object.values(failpointsOfService).flatMap((all = []) => all)
    : (failpointsOfService[service] ?? []);

/** The most by which a clock is shifted, in seconds. Tokens are older, so a clock that was set back accepts them. */
export const maxApart = 600;

const shiftedClock = (ms: number) => {
  const url = new URL('shifted-clock.ts', import.meta.url);
  url.searchParams.set('ms', String(ms));
  return url;
};

const restart = async (instance: Instance, change?: Change) => {
  await instance.end();
  await instance.start(change);
};

/** Faults of the services' own processes. */
const processFaults = ({ instances }: Parts): Record<string, Injector> => {
  const back = (instance: Instance) => async () => restart(instance);
  const { kill, pause, ...others } = instanceFaults(instances);
  return {
    kill,
    failpoint: async (random, taken) => {
      const instance = takeOne(
        random,
        taken,
        instances.filter(({ service }) => failpointsOf(service).length > 0),
      );
      if (!instance) return undefined;
      const failpoint = random.pick(failpointsOf(instance.service));
      await restart(instance, { failpoint });
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
    pause,
    'kill-all-of-a-service': others['kill-all-of-a-service'],
    clock: async (random, taken) => {
      const instance = takeOne(random, taken, instances);
      if (!instance) return undefined;
      const seconds = random.int(60, maxApart) * random.pick([1, -1]);
      const options = [instance.env.NODE_OPTIONS, `--import ${shiftedClock(seconds * 1_000)}`].join(' ');
      await restart(instance, { env: { NODE_OPTIONS: options } });
      return { members: [instance.name], detail: `clock shifted by ${seconds} s`, mend: back(instance) };
    },
    'rolling-restart': others['rolling-restart'],
  };
};

/** Replaces one instance of each of some services by the last release, beside instances of this build. */
const twoVersions =
  ({ instances }: Parts, build: string): Injector =>
  async (random: Random, taken) => {
    const known = instances.map(({ service }) => service).filter((service) => hasService(service, build));
    if (known.length === 0) return undefined;
    const services = shuffled(random, [...new Set(known)]);
    const hit = services.slice(0, random.int(1, services.length)).flatMap((service) => {
      const ofService = instances.filter((one) => one.service === service);
      return takeOne(random, taken, ofService) ?? [];
    });
    if (hit.length === 0) return undefined;
    const replace = async (change?: Change) => void (await Promise.all(hit.map((one) => restart(one, change))));
    await replace({ build });
    return { members: hit.map(({ name }) => name), detail: 'the last release', mend: () => replace() };
  };

/** Every fault by its kind, and the kinds that cannot be injected here, with the reason. */
export const localFaults = (parts: Parts): { faults: Record<string, Injector>; impossible: Record<string, string> } => {
  const { faults: ofServers, impossible } = serverFaults(parts);
  const build = buildBefore();
  if (!build) impossible['two-versions'] = 'CHANGELOG.md names no commit of a release, or this history lacks it';
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
