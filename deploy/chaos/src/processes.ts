import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseOwners, forEachOwner, type ServiceName, serviceNames } from '@cardinal/contracts';
import {
  endRun,
  ensureKeys,
  filesEnvironment,
  gatewayEnvironment,
  inDatabase,
  noteFolder,
  noteProcesses,
  provision,
  serviceEnvironment,
  startGuard,
  waitFor,
} from '@cardinal/servers';
import { bugNamed } from './bugs.ts';
import { mountDisk } from './disk.ts';
import { localFaults } from './faults.ts';
import type { Violation } from './history.ts';
import { type Instance, instanceOf, natsOf, postgresOf, stablePort } from './members.ts';
import { startProxy } from './proxies.ts';
import type { System } from './system.ts';

const database = 'cardinal';
const scope = 'kanban:read kanban:write kanban:admin';
const twelveHours = 12 * 3_600;

/** Nobody reaches these servers but we: each role has its own name as password. */
const passwords = forEachOwner((owner): string => owner);

/** What the gateways need for a load that comes from one address, and what shows broken replies. */
const gatewaySettings = { RATE_LIMIT_MAX: '1000000000', CHECK_REPLIES: 'true' };

export interface ProcessesOptions {
  /** Of every service. */
  instances: number;
  /** The folder for logs; it is emptied first. */
  logs: string;
  /** A planted bug that every service has (`bugs.ts`). */
  bug?: string | undefined;
}

/**
 * Starts a whole Cardinal as processes of this machine, with a Postgres and a NATS of its own. Every instance of a service
 * reaches them through proxies of its own. Everything ends with us, also when we are killed.
 * @throws Error with what the one said that does not start
 */
export const startProcesses = async ({ instances, logs, bug }: ProcessesOptions): Promise<System> => {
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'cardinal-chaos-'));
  // Postgres may have to run as another user, who must be able to enter.
  chmodSync(scratch, 0o755);
  const endNotes = noteProcesses(scratch);
  const endGuard = startGuard(scratch);
  /** Ends what was started, the last first. */
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
    endNotes();
    endRun(scratch);
    endGuard();
  };
  try {
    return { ...(await startIn(scratch, { instances, logs, bug }, stops)), logs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const startIn = async (
  scratch: string,
  { instances, logs, bug }: ProcessesOptions,
  stops: (() => Promise<unknown>)[],
): Promise<Omit<System, 'logs' | 'stop'>> => {
  const disks = { postgres: join(scratch, 'postgres'), nats: join(scratch, 'broker') };
  const noDisk = Object.values(disks)
    .map(mountDisk)
    .find((problem) => problem !== undefined);
  const log = (name: string) => join(logs, `${name}.log`);
  const postgres = await postgresOf(disks.postgres, log('postgres'));
  stops.push(() => postgres.end('SIGQUIT'));
  noteFolder(scratch, postgres.first.data);
  const store = join(disks.nats, 'nats');
  const nats = await natsOf(store, log('nats'));
  stops.push(() => nats.end('SIGKILL'));
  const { urls: natsUrls } = nats.first;
  const databaseUrl = postgres.first.url;
  const databaseUrls = await provision({
    databaseUrl,
    database,
    passwords,
    broker: nats.first,
    logFile: log('migrate'),
  });
  const keys = await ensureKeys(join(scratch, 'keys'));
  const violations: Violation[] = [];

  const proxy = async (url: string, protocol: 'nats' | 'bytes') => {
    const started = await startProxy(url, protocol);
    stops.push(async () => started.close());
    return started;
  };
  const planted = bug === undefined ? {} : { PLANTED_BUG: bug };
  const start = async (service: ServiceName, n: number): Promise<Instance> => {
    const instanceName = `${service}-${n}`;
    const bus = await proxy(natsUrls[service] as string, 'nats');
    const common = {
      name: instanceName,
      service,
      port: await stablePort(),
      preload: bug === undefined ? undefined : new URL('plant.ts', import.meta.url),
      bus,
      logFile: log(instanceName),
      onCrash: (message: string) =>
        violations.push({ rule: 'no process ends by itself', message: `${instanceName} ${message}`, exchanges: [] }),
    };
    if (service === 'gateway') {
      const env = { ...planted, ...gatewayEnvironment({ natsUrl: bus.url, jwks: keys.jwksPath }), ...gatewaySettings };
      return instanceOf({ ...common, env });
    }
    const ownDatabase = await proxy(databaseUrls[service], 'bytes');
    const files = {
      ...filesEnvironment({
        folder: join(scratch, 'files'),
        port: await stablePort(),
        secret: 'the chaos suite signs with this, nobody else',
      }),
      SCRATCH_FOLDER: join(scratch, instanceName),
    };
    const env = {
      ...planted,
      ...serviceEnvironment({ natsUrl: bus.url, databaseUrl: ownDatabase.url }),
      ...(service === 'attachment' ? files : {}),
    };
    return instanceOf({ ...common, env, database: ownDatabase });
  };
  const numbers = Array.from({ length: instances }, (_, at) => at + 1);
  const all = await Promise.all(serviceNames.flatMap((service) => numbers.map((n) => start(service, n))));
  stops.push(() => Promise.all(all.map((instance) => instance.end('SIGKILL'))));
  await Promise.all(all.map((instance) => instance.start()));

  const everything = [postgres, nats, ...all];
  const unready: System['unready'] = async (timeoutMs) => {
    let lacking: string[] = [];
    const nothingLacks = async () => {
      const answers = await Promise.all(everything.map(async (one) => ({ name: one.name, lacks: await one.lacks() })));
      lacking = answers.flatMap(({ name, lacks }) => (lacks === undefined ? [] : [`${name} ${lacks}`]));
      return lacking.length === 0 || undefined;
    };
    await waitFor(nothingLacks, { timeoutMs, everyMs: 100 });
    return lacking;
  };
  const lacking = await unready(120_000);
  if (lacking.length > 0) throw new Error(`the system does not become ready: ${lacking.join('; ')}`);

  const adminUrl = inDatabase(databaseUrl, database);
  const hit = bug === undefined ? undefined : bugNamed(bug).services;
  const { faults, impossible } = localFaults({
    instances: hit ? all.filter(({ service }) => hit.includes(service)) : all,
    postgres,
    nats,
    adminUrl,
    disks,
    store: join(store, 'jetstream'),
    noDisk,
    scratch,
  });
  const gateways = all.filter(({ service }) => service === 'gateway');
  return {
    gateways: gateways.map((one) => ({ name: one.name, baseUrl: `http://127.0.0.1:${one.port}/api/kanban/v1` })),
    token: (workspace, user) => keys.sign({ workspace, user, scope, expiresIn: twelveHours }),
    faults,
    impossible,
    databases: Object.fromEntries(databaseOwners.map((owner) => [owner, adminUrl])) as System['databases'],
    unready,
    crashes: () => violations,
    rollAll: async () => {
      for (const instance of all) {
        await instance.end();
        await instance.start();
        const left = await unready(60_000);
        if (left.length > 0) throw new Error(`not ready again after a restart: ${left.join('; ')}`);
      }
    },
  };
};
