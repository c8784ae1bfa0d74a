import { join } from 'node:path';
import {
  databaseOwners,
  inDatabase,
  migrateService,
  noteFolder,
  type Postgres,
  provision,
  startPostgres,
} from '@cardinal/servers';
import { givenStack } from '../environment.ts';
import { passwords } from '../run/postgres.ts';
import { runFolder, scratchFolder, shared } from '../run/worker.ts';
import { testDatabase } from '../servers.ts';
import { buildStack, type MemberName, type MemberOptions, type Stack, type StackOptions } from './build.ts';
import { mintToken, mintWrongTokens, type TokenOptions } from './tokens.ts';

export interface WorldOptions extends StackOptions {
  /** A Postgres of its own, which `kill('postgres')` and `restart('postgres')` reach; else a database on the run's. */
  ownPostgres?: boolean;
}

/** A private stack: own database, own broker, own processes. */
export type World = Awaited<ReturnType<typeof startWorld>>;

const ownDatabase = async (dir: string) => {
  const start = (port?: number) =>
    startPostgres({ dir: join(dir, 'postgres'), settings: { fsync: 'off' }, ...(port ? { port } : {}) });
  let postgres: Postgres = await start();
  noteFolder(runFolder(), postgres.data);
  const logFile = join(dir, 'migrate.log');
  const urls = await provision({ databaseUrl: postgres.url, database: 'world', passwords, logFile });
  return {
    adminUrl: inDatabase(postgres.url, 'world'),
    urls,
    postgres: {
      kill: (signal: NodeJS.Signals = 'SIGKILL') => postgres.stop(signal),
      exited: () => postgres.exited,
      restart: async () => {
        await postgres.stop();
        postgres = await start(postgres.port);
      },
    },
  };
};

const sharedServer = async (dir: string, build: string | undefined) => {
  if (build === undefined) return { ...(await testDatabase({ service: 'card' })), postgres: undefined };
  const database = await testDatabase();
  const log = join(dir, 'migrate.log');
  await Promise.all(databaseOwners.map((owner) => migrateService(owner, database.urls[owner], log, build)));
  return { ...database, postgres: undefined };
};

/**
 * Starts a whole stack for tests that break something. Stop it when done; it ends with the run at the latest.
 * @throws ServiceFailure with the last log lines of a service that does not come up
 */
export const startWorld = async ({ ownPostgres, ...options }: WorldOptions = {}) => {
  const dir = scratchFolder('world');
  const { adminUrl, urls, postgres } = ownPostgres ? await ownDatabase(dir) : await sharedServer(dir, options.build);
  const keys = join(runFolder(), 'keys');
  const stack = await buildStack({ dir, keys, databases: urls }, options);
  const own = () => {
    if (!postgres) throw new Error('the world has no Postgres of its own: startWorld({ ownPostgres: true })');
    return postgres;
  };
  return {
    ...stack,
    /** Superuser in the world's database. */
    adminUrl,
    /** The services' own roles in it. */
    databaseUrls: urls,
    token: (options?: TokenOptions) => mintToken(keys, options),
    kill: (name: MemberName, signal?: NodeJS.Signals) =>
      name === 'postgres' ? own().kill(signal) : stack.kill(name, signal),
    exited: (name: MemberName) => (name === 'postgres' ? own().exited() : stack.exited(name)),
    restart: (name: MemberName, change?: MemberOptions) =>
      name === 'postgres' ? own().restart() : stack.restart(name, change),
    stop: async () => {
      await stack.stop();
      await postgres?.kill('SIGINT');
    },
  };
};

/** The stack that every acceptance test of a run shares. */
export type SharedStack = Awaited<ReturnType<typeof sharedStack>>;

/** The run's stack, started by whoever asks first. Keep to workspaces of your own. */
export const sharedStack = async () => {
  const given = givenStack();
  const { baseUrl, metricsUrls } = given
    ? // Metrics are for nobody outside.
      { baseUrl: `${given.origin}/api/kanban/v1`, metricsUrls: {} as Stack['metricsUrls'] }
    : await shared<Pick<Stack, 'baseUrl' | 'metricsUrls'>>('stack');
  const keys = given?.keys ?? join(runFolder(), 'keys');
  return {
    /** `http://…/api/kanban/v1` */
    baseUrl,
    /** The gateway's root: health, OpenAPI, docs. */
    origin: new URL(baseUrl).origin,
    /** Where each service tells its metrics. */
    metricsUrls,
    /** For a new workspace and a new user, unless the options name them. */
    token: (options?: TokenOptions) => mintToken(keys, options),
    wrongTokens: (options?: TokenOptions) => mintWrongTokens(keys, options),
  };
};
