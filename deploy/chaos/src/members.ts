import { setTimeout as pause } from 'node:timers/promises';
import {
  type Child,
  type Exit,
  launchService,
  type Nats,
  type Postgres,
  readiness,
  repository,
  startNats,
  startPostgres,
  whyNotFree,
} from '@cardinal/servers';
import type { TcpProxy } from './proxies.ts';
import type { Random } from './system.ts';

/** How long a process may take to end after SIGTERM; longer than the services say they need (15 s). */
const graceMs = 20_000;
const retryMs = 500;

/** A process under a name, which is started again whenever it ends by itself, as an orchestrator would. */
export interface Member<Change = void> {
  name: string;
  pid(): number | undefined;
  /** Starts it; a start that fails is tried again in the background until it succeeds. */
  start(change?: Change): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it, and it stays so until it is started. False where it had to be killed. */
  end(signal?: NodeJS.Signals): Promise<boolean>;
  /** Resolves when the present process has ended, however. */
  exited(): Promise<Exit>;
  /** What it lacks; undefined when it is ready. */
  lacks(): Promise<string | undefined>;
}

interface Launched<Change> {
  name: string;
  launch(change: Change | undefined): Promise<Child>;
  lacks(): Promise<string | undefined>;
  /** Told when it ended by itself; false where it shall stay so. */
  onExit(exit: Exit, lastWords: string, change: Change | undefined): boolean;
}

const supervise = <Change>({ name, launch, lacks, onExit }: Launched<Change>): Member<Change> => {
  let child: Child | undefined;
  let wanted = false;
  let problem: string | undefined;
  const start = async (change?: Change): Promise<void> => {
    wanted = true;
    try {
      const started = await launch(change);
      child = started;
      // Somebody ended it meanwhile.
      if (!wanted) return void (await started.stop('SIGKILL'));
      problem = undefined;
      void started.exited.then(async (exit) => {
        if (child !== started || !wanted) return;
        if (!onExit(exit, started.lastWords(), change)) return;
        await pause(retryMs);
        if (child === started && wanted) await start(change);
      });
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      void pause(retryMs).then(() => (wanted ? start(change) : undefined));
    }
  };
  return {
    name,
    pid: () => (child?.hasExited() ? undefined : child?.pid),
    start,
    signal: (signal) => child?.kill(signal),
    end: async (signal = 'SIGTERM') => {
      wanted = false;
      // What is stopped does not take another signal but SIGKILL.
      if (signal !== 'SIGKILL') child?.kill('SIGCONT');
      await child?.stop(signal, graceMs);
      return signal === 'SIGKILL' || (await child?.exited)?.signal !== 'SIGKILL';
    },
    exited: async () => child?.exited ?? { code: null, signal: null },
    lacks: async () => (child === undefined || child.hasExited() ? `is not running: ${problem ?? ''}` : lacks()),
  };
};

/** What an instance is started with beside its usual configuration, until it is started anew. */
export interface ServiceChange {
  env?: Record<string, string>;
  /** Loaded before it, beside what its other configuration names. */
  preload?: URL;
  /** The checkout that it is taken from. */
  build?: string;
  /** It kills itself, and stays away then. */
  dies?: boolean;
}

/** An instance of a service. */
export interface Instance extends Member<ServiceChange> {
  service: string;
  port: number;
  bus: TcpProxy;
  /** The gateway has none. */
  database?: TcpProxy;
}

interface InstanceOptions {
  name: string;
  service: string;
  port: number;
  env: Record<string, string>;
  preload: URL | undefined;
  bus: TcpProxy;
  database?: TcpProxy;
  logFile: string;
  /** Receives what it said last, where it ended although nobody had done anything to it. */
  onCrash(message: string): void;
}

const preloading = (files: (URL | undefined)[]) => {
  const options = files.filter((file) => file !== undefined).map(({ href }) => `--import ${href}`);
  return options.length > 0 ? { NODE_OPTIONS: options.join(' ') } : {};
};

/** An instance of a service, which reaches its servers through proxies of its own. */
export const instanceOf = ({
  name,
  service,
  port,
  env,
  preload,
  logFile,
  onCrash,
  ...ways
}: InstanceOptions): Instance => ({
  service,
  port,
  ...ways,
  ...supervise<ServiceChange>({
    name,
    launch: (change) =>
      launchService({
        name: service,
        env: { ...env, PORT: String(port), ...preloading([preload, change?.preload]), ...change?.env },
        logFile,
        build: change?.build ?? repository,
      }),
    lacks: async () => {
      const answer = await readiness('127.0.0.1', port);
      return answer?.ready ? undefined : (answer?.says ?? 'does not answer');
    },
    onExit: ({ code, signal }, lastWords, change) => {
      if (change?.dies && signal === 'SIGKILL') return false;
      onCrash(`ended by itself with ${signal ?? code}:\n${lastWords}`);
      return true;
    },
  }),
});

/** A server, and what it told of itself when it was started first. */
type Server<Started> = Member & { first: Started };

/** Everything that faults can hit. */
export interface Parts {
  instances: Instance[];
  postgres: Server<Postgres>;
  nats: Server<Nats>;
  /** Superuser in the services' database. */
  adminUrl: string;
  /** Folders that the servers write to, each a disk of its own unless `noDisk` says why not. */
  disks: { postgres: string; nats: string };
  noDisk: string | undefined;
  /** Everything that the broker keeps. */
  store: string;
  /** A folder for what faults need, gone with the run. Any user can enter it. */
  scratch: string;
}

/**
 * A server; the first start throws where it fails.
 * @param start on the port of the first one from then on
 */
const serverOf = async <Started extends Child & { port: number }>(
  name: string,
  startOn: (port: number) => Promise<Started>,
): Promise<Server<Started>> => {
  const port = await stablePort();
  let first: Started | undefined;
  const launch = async () => {
    const started = await startOn(port);
    first ??= started;
    return started;
  };
  const member = supervise({ name, launch, lacks: async () => undefined, onExit: () => true });
  await member.start();
  if (!first) throw new Error((await member.lacks()) ?? `${name} did not start`);
  return { ...member, first };
};

export const postgresOf = (dir: string, logFile: string): Promise<Server<Postgres>> =>
  serverOf('postgres', (port) => startPostgres({ dir, logFile, port, settings: { max_wal_size: '256MB' } }));

export const natsOf = (dir: string, logFile: string): Promise<Server<Nats>> =>
  serverOf('nats', (port) => startNats({ dir, logFile, port }));

let lastPort = 20_000 + (process.pid % 5_000) * 2;

/** A free port below those that the system gives to outgoing connections, so that it is free again after a restart. */
export const stablePort = async (): Promise<number> => {
  lastPort = lastPort < 31_999 ? lastPort + 1 : 20_000;
  const port = lastPort;
  return (await whyNotFree(port)) === undefined ? port : stablePort();
};

/** One of those that nothing else hits; it is taken then. */
export const takeOne = <Thing extends { name: string }>(
  random: Random,
  taken: Set<string>,
  things: readonly Thing[],
  nameOf = ({ name }: Thing) => name,
): Thing | undefined => {
  const free = things.filter((thing) => !taken.has(nameOf(thing)));
  if (free.length === 0) return undefined;
  const one = random.pick(free);
  taken.add(nameOf(one));
  return one;
};
