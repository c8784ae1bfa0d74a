import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { forEachOwner, serviceNames } from '@cardinal/contracts';
import {
  allServices,
  createStack,
  ensureKeys,
  inDatabase,
  noteFolder,
  provision,
  startRun,
  whyNotFree,
} from '@cardinal/servers';
import { keysMaxAgeMs } from './checks/api-keys.ts';
import { mountDisk } from './disk.ts';
import { localFaults, maxApart } from './faults.ts';
import type { Violation } from './history.ts';
import type { Parts, Way } from './parts.ts';
import { startProxy } from './proxies.ts';
import type { System } from './system.ts';

const database = 'cardinal';
const scope = 'kanban:read kanban:write kanban:admin';
const twelveHours = 12 * 3_600;

/** Each role has its own name as password: these servers are reached from this process only. */
const passwords = forEachOwner((owner): string => owner);

/** All load comes from one address, so the rate limit is high. A reply that breaks its contract is answered with 500. */
const gatewaySettings = {
  RATE_LIMIT_MAX: '1000000000',
  CHECK_REPLIES: 'true',
  KEYS_MAX_AGE_MS: String(keysMaxAgeMs),
};

/** Allows webhooks to receivers in this process. */
const eventSettings = { WEBHOOK_NETWORKS: '127.0.0.1/32', WEBHOOK_HTTP: 'true' };

const settingsOfBug = (bug: string | undefined): Record<string, string> =>
  bug === undefined ? {} : { PLANTED_BUG: bug, NODE_OPTIONS: `--import ${new URL('plant.ts', import.meta.url)}` };

let lastPort = 20_000 + (process.pid % 5_000) * 2;

/** A free port below those of outgoing connections, which could take it during a restart. */
const stablePort = async (): Promise<number> => {
  lastPort = lastPort < 31_999 ? lastPort + 1 : 20_000;
  const port = lastPort;
  return (await whyNotFree(port)) === undefined ? port : stablePort();
};

export interface ProcessesOptions {
  /** Of every service. */
  instances: number;
  /** All services run in one process; `instances` is the number of these processes. */
  together?: boolean;
  /** The folder for logs; it is emptied first. */
  logs: string;
  /** A planted bug that every service has (`bugs.ts`). */
  bug?: string | undefined;
  /** The services that faults hit; all by default. */
  hit?: readonly string[] | undefined;
}

/**
 * Starts a whole Cardinal as processes of this machine, with its own Postgres and NATS. Every instance of a service
 * reaches them through its own proxies. All processes end with this one, also if it is killed.
 * @throws Error with the output of a process that does not start
 */
export const startProcesses = async ({
  instances: count,
  together = false,
  logs,
  bug,
  hit,
}: ProcessesOptions): Promise<System> => {
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  const run = startRun('chaos');
  const violations: Violation[] = [];
  const stack = createStack({
    dir: run.folder,
    logs,
    port: stablePort,
    isImpatient: true,
    keepUp: (name, { code, signal }, lastWords) => {
      if (name === 'Postgres' || name === 'NATS') return;
      const message = `${name} ended by itself with ${signal ?? code}:\n${lastWords}`;
      violations.push({ message, exchanges: [] });
    },
  });
  const ways: Record<keyof Parts['ways'], Way[]> = { bus: [], database: [] };
  /** Starts a proxy before the server of `url`. @returns its URL */
  const through = async (to: Way[], way: Omit<Way, 'proxy'>, url: string, protocol: 'nats' | 'bytes') => {
    const proxy = await startProxy(url, protocol);
    to.push({ ...way, proxy });
    return proxy.url;
  };
  const stop = async () => {
    await stack.stop('SIGKILL');
    for (const { proxy } of [...ways.bus, ...ways.database]) proxy.close();
    run.end();
  };

  const start = async (): Promise<System> => {
    const disks = { postgres: join(run.folder, 'postgres'), nats: join(run.folder, 'nats') };
    const noDisk = Object.values(disks)
      .map(mountDisk)
      .find((problem) => problem !== undefined);
    const postgres = await stack.postgres({ max_wal_size: '256MB' });
    const { url: databaseUrl, data } = postgres.process();
    noteFolder(run.folder, data);
    const nats = await stack.nats();
    await stack.services({
      natsUrls: nats.process().urls,
      databaseUrls: await provision({ databaseUrl, database, passwords }),
      together,
      instances: Object.fromEntries([...serviceNames, allServices].map((service) => [service, count])),
      env: async ({ name, service }, { NATS_URL = '', DATABASE_URL, ...usual }) => {
        const end = together ? `${name}/${service}` : name;
        return {
          ...usual,
          NATS_URL: await through(ways.bus, { name: `${end}/bus`, service }, NATS_URL, 'nats'),
          ...(DATABASE_URL && {
            DATABASE_URL: await through(ways.database, { name: `${end}/database`, service }, DATABASE_URL, 'bytes'),
          }),
          ...(service === 'gateway' && gatewaySettings),
          ...(service === 'event' && eventSettings),
          ...settingsOfBug(bug),
        };
      },
    });
    const lacking = await stack.unready(120_000);
    if (lacking.length > 0) throw new Error(`the system does not become ready: ${lacking.join('; ')}`);

    const keys = await ensureKeys(join(run.folder, 'keys'));
    const adminUrl = inDatabase(databaseUrl, database);
    const instances = stack.instances();
    const ofHit = <One extends { service: string }>(all: readonly One[]) =>
      hit ? all.filter(({ service }) => service === allServices || hit.includes(service)) : all;
    const { faults, impossible } = localFaults({
      instances: ofHit(instances),
      ways: { bus: ofHit(ways.bus), database: ofHit(ways.database) },
      postgres,
      nats,
      adminUrl,
      disks,
      noDisk,
      scratch: run.folder,
    });
    return {
      gateways: instances.flatMap(({ name, service, process }) =>
        service === 'gateway' || service === allServices ? { name, baseUrl: `${process().url}/api/kanban/v1` } : [],
      ),
      token: (workspace, user) => keys.sign({ workspace, user, scope, age: maxApart, expiresIn: twelveHours }),
      faults,
      impossible,
      databases: forEachOwner(() => adminUrl),
      unready: stack.unready,
      crashes: () => violations,
      instances,
      stop,
    };
  };
  try {
    return await start();
  } catch (error) {
    await stop();
    throw error;
  }
};
