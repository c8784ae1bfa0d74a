import { request } from 'node:http';
import { join } from 'node:path';
import { type DatabaseOwner, databaseOwners, forEachOwner } from '@cardinal/contracts';
import {
  ensureDatabase,
  ensureRoles,
  inDatabase,
  migrateHere,
  noteFolder,
  type Postgres,
  provision,
  runStatements,
  startPostgres,
} from '@cardinal/servers';
import { dockerSocket } from '../environment.ts';

/** True where a Docker engine answers. */
export const engineAnswers = () =>
  new Promise<boolean>((resolve) => {
    const socketPath = dockerSocket();
    if (!socketPath) return resolve(false);
    const ping = request({ socketPath, path: '/_ping', timeout: 1_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.once('timeout', () => ping.destroy());
    ping.once('error', () => resolve(false));
    ping.end();
  });

/** Settings for data that may be lost in a power cut, in hundreds of databases that nobody needs cleaned. */
const throwAway = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '300',
  scram_iterations: '1',
};

/** A Postgres in a container; undefined where no Docker engine answers or it cannot get the image. */
const startContainer = async (): Promise<{ url: string; stop(): Promise<void> } | undefined> => {
  if (!(await engineAnswers())) return undefined;
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  try {
    const container = await new PostgreSqlContainer('postgres:18-alpine')
      .withDatabase('postgres')
      .withCommand(['postgres', ...Object.entries(throwAway).flatMap(([name, value]) => ['-c', `${name}=${value}`])])
      .start();
    return { url: container.getConnectionUri(), stop: async () => void (await container.stop()) };
  } catch {
    return undefined;
  }
};

/** Databases that test databases are copied from: `empty` has roles and schemas, `migrated` the tables as well. */
export const templates = { empty: 'template_empty', migrated: 'template_migrated' } as const;

/** Each service's role has its own name as password: only this machine reaches the run's servers. */
export const passwords = forEachOwner((owner): string => owner);

/** What bounds a role in production, after which a slow machine would refuse what no test expects to be refused. */
const bounds = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'];

/** What a URL says for longer ones; a role that comes without it is bounded as in production. */
const patience = bounds.map((name) => `-c ${name}=20s`).join(' ');

/** Makes a database from a template, by copying its files: a third of what logging every page of it costs. */
export const copyTemplate = (postgres: string, database: string, template: string) =>
  runStatements(postgres, [`create database ${database} template ${template} strategy file_copy`]);

/**
 * Starts the run's Postgres: in Docker where an engine answers, otherwise the embedded one. @returns its superuser's
 * URL
 */
export const startSharedPostgres = async (run: string, onStop: (stop: () => Promise<void>) => void) => {
  const container = await startContainer();
  let url = container?.url;
  if (container) onStop(container.stop);
  if (!url) {
    const postgres: Postgres = await startPostgres({ dir: join(run, 'postgres'), settings: throwAway });
    noteFolder(run, postgres.data);
    onStop(() => postgres.stop('SIGQUIT'));
    url = postgres.url;
  }
  const template = await ensureDatabase(url, templates.empty);
  await ensureRoles(template, passwords);
  return url;
};

/** The URL of a service's role in a database of the run's Postgres, patient with a slow machine. */
const roleUrl = (postgres: string, owner: DatabaseOwner, database: string) => {
  const changed = new URL(inDatabase(postgres, database));
  changed.username = `cardinal_${owner}`;
  changed.password = passwords[owner];
  changed.searchParams.set('options', patience);
  return changed.href;
};

/** The URLs of all services' roles in a database of the run's Postgres. */
export const roleUrls = (postgres: string, database: string) =>
  forEachOwner((owner) => roleUrl(postgres, owner, database));

/** Makes the template with the tables of every service. */
export const makeMigratedTemplate = async (postgres: string): Promise<string> => {
  const { empty, migrated } = templates;
  await copyTemplate(postgres, migrated, empty);
  await Promise.all(databaseOwners.map((owner) => migrateHere(owner, roleUrl(postgres, owner, migrated))));
  return migrated;
};

/** The database of a cluster that a world has to itself. */
export const worldDatabase = 'world';

/** Makes a cluster with everything that a world needs, and leaves it stopped. @returns its folder, to be copied */
export const makeClusterTemplate = async (run: string): Promise<string> => {
  const dir = join(run, 'cluster');
  const postgres = await startPostgres({ dir, settings: throwAway });
  noteFolder(run, postgres.data);
  try {
    await provision({ databaseUrl: postgres.url, database: worldDatabase, passwords });
  } finally {
    await postgres.stop();
  }
  return dir;
};
