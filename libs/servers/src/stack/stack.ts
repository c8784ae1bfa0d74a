import { join } from 'node:path';
import { declareRegisters } from '@cardinal/bus';
import { type DatabaseOwner, type ServiceName, serviceNames } from '@cardinal/contracts';
import { hasService } from '../builds.ts';
import { ensurePasswords } from '../files.ts';
import { ensureKeys } from '../keys.ts';
import { type Nats, startNats } from '../nats/server.ts';
import { type Postgres, startPostgres } from '../postgres/server.ts';
import { type Child, waitFor } from '../process.ts';
import { allServices, loadServices, type Service, serviceEnvironment, startService } from '../service.ts';
import { type Change, type Member, memberOf, type Upkeep } from './member.ts';

/** A service, or `all`: a process that runs them together. */
type ProcessKind = ServiceName | typeof allServices;
/** An instance of a service: the first one has its name, the second one is `card-2`. */
export type InstanceName = ProcessKind | `${ProcessKind}-${number}`;
export type MemberName = InstanceName | 'nats' | 'postgres';
export type Instance = Member<Service> & { service: ProcessKind; env: Record<string, string> };

interface StackOptions extends Upkeep {
  /** Holds what the members keep: `postgres`, `nats`, `files`, keys and secrets. */
  dir: string;
  /** Folder of their output, `<member>.log` each; `dir` where left out. */
  logs?: string;
  /** A port for a new member, which it keeps; any free one where left out. */
  port?: () => Promise<number>;
  /** Services are started and not waited for, which takes a `port`. */
  isImpatient?: boolean;
}

interface ServicesOptions {
  databaseUrls: Record<DatabaseOwner, string>;
  /** By service. */
  natsUrls: Record<string, string>;
  natsCa?: string | undefined;
  /** Folder of the development keys; `keys` in that of the stack where left out. */
  keys?: string;
  /** All services run in one process. */
  together?: boolean | undefined;
  /** How many processes of a service run; one where left out. */
  instances?: Partial<Record<ProcessKind, number>> | undefined;
  /** The configuration of an instance, from the one that it would have. */
  env?: (
    instance: { name: InstanceName; service: ServiceName },
    usual: Record<string, string>,
  ) => Record<string, string> | Promise<Record<string, string>>;
  /** The checkout that they are taken from: this one where left out. */
  build?: string | undefined;
}

const namesOf = ({ instances, build, together }: ServicesOptions): InstanceName[] => {
  const kinds: ProcessKind[] = together ? [allServices] : serviceNames.filter((service) => hasService(service, build));
  return kinds.flatMap((kind) =>
    Array.from({ length: instances?.[kind] ?? 1 }, (_, at): InstanceName => (at ? `${kind}-${at + 1}` : kind)),
  );
};

/** The environment of a process that runs all services, from those that each would have: what all share stands once. */
const environmentOfAll = (ofServices: Record<ServiceName, Record<string, string>>): Record<string, string> => {
  const { gateway } = ofServices;
  const isShared = (name: string) =>
    name !== 'PORT' && serviceNames.every((service) => ofServices[service][name] === gateway[name]);
  const shared = Object.entries(gateway).filter(([name]) => isShared(name));
  const own = serviceNames.flatMap((service) =>
    Object.entries(ofServices[service])
      .filter(([name]) => !isShared(name))
      .map(([name, value]) => [`${service.toUpperCase()}_${name}`, value]),
  );
  const { METRICS_PORT = '0', METRICS_HOST = '127.0.0.1' } = gateway;
  return { METRICS_PORT, METRICS_HOST, ...Object.fromEntries([...shared, ...own]) };
};

const servesApi = ({ service }: Instance): boolean => service === 'gateway' || service === allServices;

/** Waits up to `timeoutMs` until all of them are ready. @returns what is not, and what it says */
const unready = async (members: readonly Member[], timeoutMs: number): Promise<string[]> => {
  let lacking: string[] = [];
  const nothingLacks = async () => {
    const answers = await Promise.all(members.map(async (one) => ({ name: one.name, lacks: await one.lacks() })));
    lacking = answers.flatMap(({ name, lacks }) => (lacks === undefined ? [] : [`${name} ${lacks}`]));
    return lacking.length === 0 || undefined;
  };
  await waitFor(nothingLacks, { timeoutMs, everyMs: 100 });
  return lacking;
};

/** The operator key of a stack, by its folder: made when it is first asked for. */
export const ensureOperatorKey = (dir: string): string =>
  ensurePasswords(join(dir, 'operator-key.json'), ['operator']).operator;

/** Cardinal as processes of this machine: Postgres, the broker and the chosen services. */
export type Stack = ReturnType<typeof createStack>;

export const createStack = (options: StackOptions) => {
  const { dir, logs = dir, port = async () => 0, isImpatient } = options;
  /** The last one is stopped first. */
  const members = new Map<string, Member>();
  const logOf = (name: MemberName) => join(logs, `${name}.log`);
  const server = async <Running extends Child & { port: number }>(
    name: 'nats' | 'postgres',
    startAt: (place: { dir: string; logFile: string; port: number; isRestart: boolean }) => Promise<Running>,
  ): Promise<Member<Running>> => {
    const place = { dir: join(dir, name), logFile: logOf(name) };
    const launch = async (former?: Running) =>
      startAt({ ...place, port: former?.port ?? (await port()), isRestart: former !== undefined });
    const made = memberOf(name, launch, options);
    members.set(name, made);
    await made.start();
    return made;
  };

  /** A process of all services that waits for its configuration. */
  let loaded: Child | undefined;
  let services: ServicesOptions & { jwks: string; secret: string; webhookKey: string; operatorKey: string };
  const usualOf = async (name: InstanceName, service: ServiceName) => {
    const { natsUrls, natsCa, databaseUrls, jwks, secret, webhookKey, operatorKey } = services;
    const usual = serviceEnvironment({
      natsUrl: natsUrls[service] ?? '',
      natsCa,
      ...(service === 'gateway' ? { jwks, operatorKey } : { databaseUrl: databaseUrls[service] }),
      ...(service === 'attachment' && { files: { folder: join(dir, 'files'), port: await port(), secret } }),
      ...(service === 'event' && { webhookKey }),
    });
    // The service clears its scratch folder when it starts.
    return { PORT: String(await port()), SCRATCH_FOLDER: join(dir, 'scratch', name), ...usual };
  };
  const environmentOf = async (name: InstanceName, service: ServiceName) => {
    const usual = await usualOf(name, service);
    return (await services.env?.({ name, service }, usual)) ?? usual;
  };
  /** Makes an instance that was not there yet. */
  const further = async (name: InstanceName): Promise<Instance> => {
    const kind = [...serviceNames, allServices].find(
      (one) => name === one || name.startsWith(`${one}-`),
    ) as ProcessKind;
    const ofAll = async () => {
      const each = serviceNames.map(async (service) => [service, await environmentOf(name, service)] as const);
      return environmentOfAll(
        Object.fromEntries(await Promise.all(each)) as Record<ServiceName, Record<string, string>>,
      );
    };
    const env: Record<string, string> = kind === allServices ? await ofAll() : await environmentOf(name, kind);
    const portName = kind === allServices ? 'GATEWAY_PORT' : 'PORT';
    const launch = (former: Service | undefined, { env: changed, failpoint, build = services.build }: Change) => {
      const place = { [portName]: String(former?.port ?? env[portName]), ...(failpoint && { FAILPOINT: failpoint }) };
      const waiting = kind === allServices ? loaded : undefined;
      loaded = undefined;
      return startService({
        name: kind,
        env: { ...env, ...place, ...changed },
        logFile: logOf(name),
        build,
        isImpatient,
        loaded: waiting,
      });
    };
    return { ...memberOf(name, launch, options), service: kind, env };
  };

  const instances = () => [...members.values()].filter((one): one is Instance => 'service' in one);
  const member = (name: MemberName): Member => {
    const found = members.get(name);
    if (!found) throw new Error(`the stack has no ${name}`);
    return found;
  };
  const instance = (name: InstanceName) => member(name) as Instance;
  return {
    /** Starts an own Postgres. @param settings over ours, read at each start */
    postgres: (settings: Record<string, string> = {}): Promise<Member<Postgres>> =>
      server('postgres', (place) => startPostgres({ ...place, settings })),
    /** Starts an own broker, which has its registers from then on. */
    nats: (): Promise<Member<Nats>> =>
      server('nats', async (place) => {
        const nats = await startNats({ ...place, report: (line) => options.report?.(`NATS: ${line}`) });
        const declaring = declareRegisters({ url: nats.url });
        await declaring.catch((error) => nats.stop().then(() => Promise.reject(error)));
        return nats;
      }),
    /**
     * Has all services loaded in the process that is to run them, while Postgres and the broker start. `services`, which
     * starts them together then, configures it.
     */
    load: async (): Promise<void> => {
      loaded = await loadServices(logOf(allServices));
    },
    /** Starts every service that the build has. */
    services: async (chosen: ServicesOptions): Promise<void> => {
      const { jwksPath: jwks } = await ensureKeys(chosen.keys ?? join(dir, 'keys'));
      const { signing: secret } = ensurePasswords(join(dir, 'url-secret.json'), ['signing']);
      const { encryption: webhookKey } = ensurePasswords(join(dir, 'webhook-key.json'), ['encryption']);
      services = { ...chosen, jwks, secret, webhookKey, operatorKey: ensureOperatorKey(dir) };
      for (const name of namesOf(chosen)) members.set(name, await further(name));
      // The gateways last: they are ready only when what they call is.
      const [gateways = [], others = []] = [true, false].map((is) =>
        instances().filter((one) => servesApi(one) === is),
      );
      await Promise.all(others.map((one) => one.start()));
      await Promise.all(gateways.map((one) => one.start()));
    },
    instances,
    instance,
    member,
    /** Ends a member if it runs and starts it again in its place, or as a further instance of its service. */
    restart: async (name: MemberName, change?: Change): Promise<void> => {
      const one = members.get(name) ?? (await further(name as InstanceName));
      await one.end();
      await one.start(change);
      // A further one has no URL before.
      members.set(name, one);
    },
    logOf,
    /** `http://…/api/kanban/v1` of each gateway. */
    baseUrls: () => instances().flatMap((one) => (servesApi(one) ? `${one.process().url}/api/kanban/v1` : [])),
    /** Where the first instance of each service serves its metrics. */
    metricsUrls: () =>
      Object.fromEntries(
        serviceNames.map((name) => [name, instance(members.has(name) ? name : allServices).process().metricsUrl]),
      ) as Record<ServiceName, string>,
    /** @returns the members that are not ready after that time, and what they say */
    unready: (timeoutMs: number) => unready([...members.values()], timeoutMs),
    /** Ends every member. @param signal for services, where not as usual */
    stop: async (signal?: 'SIGKILL'): Promise<void> => {
      await loaded?.stop(signal);
      for (const one of [...members.values()].reverse()) await one.stop('service' in one ? signal : undefined);
    },
  };
};
