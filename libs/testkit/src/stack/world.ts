import { join } from 'node:path';
import { databaseOwners, type ServiceName } from '@cardinal/contracts';
import {
  type Change,
  createStack,
  ensureKeys,
  ensureOperatorKey,
  hasService,
  type InstanceName,
  type MemberName,
  migrateService,
  type Stack,
  type TokenRequest,
} from '@cardinal/servers';
import { v7 } from 'uuid';
import { givenStack } from '../environment.ts';
import { runFolder, scratchFolder, shared } from '../run/worker.ts';
import { testDatabase } from '../servers.ts';
import { buildStack, type StackOptions } from './build.ts';
import { ageLastWrites } from './last-writes.ts';
import { type OwnPostgres, ownPostgres as startOwnPostgres } from './own-postgres.ts';

/** What a token shall say; a new workspace, a new user, every scope and an hour where left out. */
type TokenOptions = Partial<TokenRequest>;

const everyScope = 'kanban:read kanban:write kanban:admin';

/** A token that the gateways of the stack accept. */
const mintToken = async (keys: string, options: TokenOptions = {}): Promise<string> =>
  (await ensureKeys(keys)).sign({ workspace: v7(), user: v7(), scope: everyScope, ...options });

export interface WorldOptions extends StackOptions {
  /**
   * A Postgres of its own, which `kill('postgres')` and `restart('postgres')` reach; otherwise a database on the run's.
   */
  ownPostgres?: boolean;
}

/** A private stack: own database, own broker, own processes. */
export type World = Awaited<ReturnType<typeof startWorld>>;

const sharedServer = async (dir: string, build: string | undefined) => {
  if (build === undefined) return testDatabase({ service: 'card' });
  const database = await testDatabase();
  const log = join(dir, 'migrate.log');
  const owners = databaseOwners.filter((owner) => hasService(owner, build));
  await Promise.all(owners.map((owner) => migrateService(owner, database.urls[owner], log, build)));
  return database;
};

/**
 * Starts a whole stack for tests that break something. Stop it when done; it ends with the run at the latest.
 * @throws ServiceFailure with the last log lines of a service that does not come up
 */
export const startWorld = async ({ ownPostgres, ...options }: WorldOptions = {}) => {
  const dir = scratchFolder('world');
  const stack = createStack({ dir });
  const postgres = ownPostgres ? await startOwnPostgres(stack, dir) : undefined;
  const { adminUrl, urls: databaseUrls } = postgres ?? (await sharedServer(dir, options.build));
  const keys = join(runFolder(), 'keys');
  const natsUrls = await buildStack(stack, { keys, databaseUrls }, options);
  const [baseUrl = ''] = stack.baseUrls();
  return {
    /** `http://…/api/kanban/v1` of the first gateway. */
    baseUrl,
    /** Of every gateway, also of those that are started later. */
    get baseUrls() {
      return stack.baseUrls();
    },
    /** The broker, as the user `deploy` or as a service. */
    natsUrls,
    /** Everything that the broker keeps. */
    natsFolder: join(dir, 'nats'),
    /** Has the last writes be so many hours longer ago, while nothing runs but Postgres and the broker. */
    ageLastWrites: (hours: number) => ageLastWrites(adminUrl, natsUrls.deploy ?? '', hours),
    /** Where each member's output goes. */
    logOf: stack.logOf,
    /** Superuser in the world's database. */
    adminUrl,
    /** The services' own roles in it. */
    databaseUrls,
    token: (options?: TokenOptions) => mintToken(keys, options),
    /** Opens the route that creates a workspace's first API key. */
    operatorKey: ensureOperatorKey(dir),
    /** Its own Postgres, and what can happen to that. */
    ownPostgres: (): OwnPostgres => {
      if (!postgres) throw new Error('the world has no Postgres of its own: startWorld({ ownPostgres: true })');
      return postgres;
    },
    /** The instances of a service. */
    instancesOf: (service: ServiceName): MemberName[] =>
      stack.instances().flatMap((one) => (one.service === service ? [one.name as MemberName] : [])),
    /** Where an instance serves its metrics, and its health too where that is not at its own port. */
    metricsUrl: (name: InstanceName): string => stack.instance(name).process().metricsUrl,
    /** Sends a signal and waits until the process is gone. */
    kill: (name: MemberName, signal: NodeJS.Signals = 'SIGKILL') => stack.member(name).end(signal),
    /** Resolves when the member's present process is gone, however it ended. */
    exited: (name: MemberName) => stack.member(name).exited(),
    /** Ends the member if it runs and starts it again on its port, or as a further instance; resolves when it is ready. */
    restart: (name: MemberName, change?: Change) => stack.restart(name, change),
    /** Kills the services: how they end when they are asked to is not looked at here. */
    stop: () => stack.stop('SIGKILL'),
  };
};

/** The stack that every acceptance test of a run shares. */
export type SharedStack = Awaited<ReturnType<typeof sharedStack>>;

type MetricsUrls = ReturnType<Stack['metricsUrls']>;

/** The run's stack, started by the first caller. Keep to workspaces of your own. */
export const sharedStack = async () => {
  const given = givenStack();
  const { baseUrl, metricsUrls } = given
    ? // Metrics are internal.
      { baseUrl: `${given.origin}/api/kanban/v1`, metricsUrls: {} as MetricsUrls }
    : await shared<{ baseUrl: string; metricsUrls: MetricsUrls }>('stack');
  const keys = given?.keys ?? join(runFolder(), 'keys');
  return {
    /** `http://…/api/kanban/v1` */
    baseUrl,
    /** The gateway's root: health, OpenAPI, docs. */
    origin: new URL(baseUrl).origin,
    /** Where each service serves its metrics. */
    metricsUrls,
    /** For a new workspace and a new user, unless the options name them. */
    token: (options?: TokenOptions) => mintToken(keys, options),
  };
};
