import { join } from 'node:path';
import { type DatabaseOwner, type ServiceName, serviceNames } from '@cardinal/contracts';
import {
  type Child,
  declareBusStreams,
  ensureKeys,
  filesEnvironment,
  gatewayEnvironment,
  type Nats,
  type Service,
  serviceEnvironment,
  startNats,
  startService,
} from '@cardinal/servers';

/** A process of a world: a service, the n-th further instance of one (`card-2`), its broker, its own Postgres. */
export type MemberName = ServiceName | `${ServiceName}-${number}` | 'nats' | 'postgres';

/** The service that a member is an instance of. */
const serviceOf = (member: MemberName): ServiceName => {
  const name = serviceNames.find((service) => member === service || member.startsWith(`${service}-`));
  if (!name) throw new Error(`${member} is no service`);
  return name;
};

export interface MemberOptions {
  /** A place where a service kills itself; the names are those of `failpoints` in libs/runtime. */
  failpoint?: string;
  /** The checkout that it is taken from from now on: the one that it ran from where left out. */
  build?: string;
  /** Further configuration from now on: what it had where left out. */
  env?: Record<string, string>;
}

export interface StackOptions {
  /** Failpoint that the first instance of a service starts with. */
  failpoints?: Partial<Record<DatabaseOwner, string>>;
  /** How many processes of a service run; one where left out. */
  instances?: Partial<Record<ServiceName, number>>;
  /** Further configuration by service, e.g. `{ gateway: { RATE_LIMIT_MAX: '5' } }`. */
  env?: Partial<Record<ServiceName, Record<string, string>>>;
  /** How long the stream of events gets, bytes, where not as usual. */
  streamBytes?: number;
  /** The checkout that everything starts from: this one where left out. */
  build?: string;
}

interface StackPlaces {
  dir: string;
  keys: string;
  databases: Record<DatabaseOwner, string>;
}

/** A whole stack of processes with a broker of its own. */
export type Stack = Awaited<ReturnType<typeof buildStack>>;

const namesOf = (options: StackOptions): MemberName[] =>
  serviceNames.flatMap((service) =>
    Array.from(
      { length: options.instances?.[service] ?? 1 },
      (_, at): MemberName => (at === 0 ? service : `${service}-${at + 1}`),
    ),
  );

/** Starts a broker and every service; all of them are ready when it returns. */
export const buildStack = async (places: StackPlaces, options: StackOptions) => {
  const logOf = (member: MemberName) => join(places.dir, `${member}.log`);
  const { jwksPath } = await ensureKeys(places.keys);
  const natsFolder = join(places.dir, 'nats');
  const runNats = async (port?: number): Promise<Nats> => {
    const server = await startNats({ dir: natsFolder, logFile: logOf('nats'), ...(port ? { port } : {}) });
    await declareBusStreams(server, options.streamBytes);
    return server;
  };
  const nats = await runNats();

  // Any free port: the service signs URLs with the one that it got.
  const files = filesEnvironment({
    folder: join(places.dir, 'files'),
    port: 0,
    secret: 'the tests sign with this, nobody else',
  });
  const environmentOf = (service: ServiceName) => {
    const natsUrl = nats.urls[service] ?? '';
    if (service === 'gateway') {
      const own = { CHECK_REPLIES: 'true', MAX_EVENT_LOOP_DELAY_MS: '30000' };
      return { ...own, ...gatewayEnvironment({ natsUrl, jwks: jwksPath }) };
    }
    const common = serviceEnvironment({ natsUrl, databaseUrl: places.databases[service] });
    return service === 'attachment' ? { ...common, ...files } : common;
  };
  const changes = new Map<MemberName, MemberOptions>();
  const runService = async (member: MemberName, extra: Record<string, string>): Promise<Service> => {
    const name = serviceOf(member);
    const { build = options.build, env: changed } = changes.get(member) ?? {};
    const usual = { LOG_LEVEL: 'info', PORT: '0', ...environmentOf(name), ...options.env?.[name] };
    return startService({ name, env: { ...usual, ...changed, ...extra }, logFile: logOf(member), build });
  };
  const armed = (failpoint: string | undefined) => (failpoint ? { FAILPOINT: failpoint } : undefined);
  const first = (member: MemberName) => armed(options.failpoints?.[member as DatabaseOwner]);

  const members = new Map<MemberName, Child & { port: number; metricsPort?: number }>([['nats', nats]]);
  const names = namesOf(options);
  const stop = async () => {
    for (const name of [...names].reverse()) await members.get(name)?.stop();
    await members.get('nats')?.stop();
  };
  const start = async (name: MemberName) => void members.set(name, await runService(name, first(name) ?? {}));
  // The gateways last: they are ready only when what they call is.
  const gateways = names.filter((name) => serviceOf(name) === 'gateway');
  try {
    await Promise.all(names.filter((name) => !gateways.includes(name)).map(start));
    await Promise.all(gateways.map(start));
  } catch (error) {
    await stop();
    throw error;
  }

  const member = (name: MemberName) => {
    const found = members.get(name);
    if (!found) throw new Error(`the stack has no ${name}`);
    return found;
  };
  const baseUrlOf = (gateway: MemberName) => `http://127.0.0.1:${member(gateway).port}/api/kanban/v1`;
  const baseUrls = gateways.map(baseUrlOf);
  return {
    /** `http://…/api/kanban/v1` of the first gateway. */
    baseUrl: baseUrls[0] ?? '',
    /** Further gateways' base URLs come after the first one's, also those that are started later. */
    baseUrls,
    /** Where each service's first process tells its metrics. */
    metricsUrls: Object.fromEntries(
      serviceNames.map((name) => [name, `http://127.0.0.1:${member(name).metricsPort}/metrics`]),
    ) as Record<ServiceName, string>,
    /** The broker, as the user `deploy` or as a service. */
    natsUrls: nats.urls,
    /** Everything that the broker keeps. */
    natsFolder,
    /** Where each member's output goes. */
    logOf,
    /** Sends a signal and waits until the process is gone. */
    kill: (name: MemberName, signal: NodeJS.Signals = 'SIGKILL') => member(name).stop(signal),
    /** Resolves when the member's present process is gone, however it ended. */
    exited: (name: MemberName) => member(name).exited,
    /** Ends the member if it runs and starts it again on its port, or as a further instance; resolves when it is ready. */
    restart: async (name: MemberName, { failpoint, ...change }: MemberOptions = {}) => {
      changes.set(name, { ...changes.get(name), ...change });
      const former = members.get(name);
      await former?.stop();
      const port = former?.port ?? 0;
      members.set(
        name,
        name === 'nats' ? await runNats(port) : await runService(name, { PORT: String(port), ...armed(failpoint) }),
      );
      if (former) return;
      names.push(name);
      if (serviceOf(name) === 'gateway') baseUrls.push(baseUrlOf(name));
    },
    stop,
  };
};
