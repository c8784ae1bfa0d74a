import { serviceNames } from '@cardinal/contracts';
import { docker } from '@cardinal/docker/test/stack/docker.ts';
import type { Container } from './containers.ts';
import { instanceFaults, killed, paused, takeOne } from './instance-faults.ts';
import { aloneOn, connectionFaults } from './server-faults.ts';
import type { Injector } from './system.ts';

const between = 'containers reach their servers without a proxy of ours';
const size = 'a volume is as large as the disk of the engine';

/** What only processes of this machine can be made to suffer, with the reason. */
export const impossible: Record<string, string> = {
  failpoint: 'the environment of a container is given once and for all',
  clock: 'containers have the clock of their machine',
  'two-versions': 'there are images of this version alone; `npm run test:deploy` upgrades',
  'postgres-immediate': 'the engine would start it again at once; postgres-kill is as rude',
  ...Object.fromEntries(['database-full', 'broker-full'].map((kind) => [kind, size])),
  ...Object.fromEntries(
    ['dropped', 'doubled', 'reordered', 'delayed', 'half-open', 'reset'].map((kind) => [`bus-${kind}`, between]),
  ),
  ...Object.fromEntries(['delayed', 'half-open', 'reset'].map((kind) => [`database-${kind}`, between])),
};

interface Stack {
  project: string;
  containers: readonly Container[];
  /** Superuser in the services' database. */
  adminUrl: string;
  /** Declares what the broker keeps, as the job of the compose file does. */
  declare: () => Promise<unknown>;
}

/** Disconnects a container from the network of all services: to the others it vanishes silently. */
const cutOff =
  (network: string, instances: readonly Container[]): Injector =>
  async (random, taken) => {
    const instance = takeOne(random, taken, instances);
    if (!instance) return undefined;
    await docker('network', 'disconnect', network, instance.id);
    // The proxy finds it by the name of its service.
    const connect = () => docker('network', 'connect', '--alias', instance.service, network, instance.id);
    return { members: [instance.name], detail: 'without its network', mend: async () => void (await connect()) };
  };

const restarted = async (container: Container) => {
  await container.end();
  return { members: [container.name], detail: 'stopped', mend: () => container.start() };
};

/** Clients see of all gateways the proxy alone: what hits one of them may break what they sent to the proxy. */
const seenAtProxy =
  (inject: Injector): Injector =>
  async (random, taken) => {
    const fault = await inject(random, taken);
    const isSeen = fault?.members.some((name) => name.startsWith('gateway-'));
    if (fault && isSeen) fault.members = [...fault.members, 'proxy'];
    return fault;
  };

/** Every fault of a stack of containers by its kind. */
export const containerFaults = ({ project, containers, adminUrl, declare }: Stack): Record<string, Injector> => {
  const the = (service: string) => containers.find((one) => one.service === service) as Container;
  const [postgres, nats] = [the('postgres'), the('nats')];
  const instances = containers.filter(({ service }) => (serviceNames as readonly string[]).includes(service));
  const ofInstances = { ...instanceFaults(instances), 'network-cut': cutOff(`${project}_inside`, instances) };
  return {
    ...Object.fromEntries(Object.entries(ofInstances).map(([kind, inject]) => [kind, seenAtProxy(inject)])),
    ...aloneOn(nats.name, {
      'nats-kill': () => killed([nats]),
      'nats-pause': () => paused(nats),
      'nats-restart': () => restarted(nats),
      'nats-wipe': async () => {
        await nats.end('SIGKILL');
        const image = await docker('inspect', '--format', '{{.Config.Image}}', nats.id);
        const wipe = ['--entrypoint', 'sh', image, '-c', 'rm -rf /var/tmp/*'];
        await docker('run', '--rm', '--network', 'none', '--volumes-from', nats.id, ...wipe);
        const mend = async () => {
          await nats.start();
          await declare();
        };
        return { members: [nats.name], detail: 'killed, its storage wiped', mend };
      },
    }),
    ...aloneOn(postgres.name, {
      'postgres-kill': () => killed([postgres]),
      'postgres-pause': () => paused(postgres),
      'postgres-restart': () => restarted(postgres),
      ...connectionFaults(postgres.name, adminUrl),
    }),
  };
};
