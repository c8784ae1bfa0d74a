import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOwners } from '@cardinal/contracts';
import { requestAdvance } from '@cardinal/doctor/src/advance.ts';
import { openSources } from '@cardinal/doctor/src/sources.ts';
import { changeDatabaseUrl } from '@cardinal/runtime';
import {
  ConfigError,
  ensureDatabase,
  ensurePasswords,
  ensureRoles,
  ownDatabaseName,
  postgresClient,
  provision,
  type RunPostgresClient,
  runStatements,
  startPostgres,
} from '@cardinal/servers';

const schemas = databaseOwners.map((owner) => `'${owner}'`).join();

/** The size of the services' tables, bytes. */
export const databaseBytes = async (url: string): Promise<number> => {
  const query = `select coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::text as bytes from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace where nspname in (${schemas}) and relkind in ('r', 'm')`;
  const [row] = (await runStatements(url, [query])) as { bytes: string }[];
  return Number(row?.bytes ?? 0);
};

/** Services that have tables in a database. */
export const ownersIn = async (url: string): Promise<string[]> => {
  const query = `select distinct nspname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in (${schemas}) order by 1`;
  return ((await runStatements(url, [query])) as { name: string }[]).map(({ name }) => name);
};

/** Runs a client program on the database of a URL; its password is in no argument, which everybody on the machine sees. */
const runClient = async (
  program: Parameters<RunPostgresClient>[0],
  url: string,
  args: string[],
  signal: AbortSignal,
): Promise<void> => {
  const client = await postgresClient();
  if (typeof client === 'string') throw new ConfigError(client);
  const password = decodeURIComponent(/^[a-z]+:\/\/[^/?#@:]*:([^/?#@]*)@/i.exec(url)?.[1] ?? '');
  const to = `--dbname=${changeDatabaseUrl(url, { password: '' })}`;
  const options = { env: { ...(password && { PGPASSWORD: password }) }, signal };
  await client(program, [...args, to], options).catch((error: Error & { stderr?: string }) => {
    signal.throwIfAborted();
    const said = (error.stderr ?? error.message).trim().split('\n').slice(-3).join('; ');
    throw new ConfigError(`${program} failed: ${said}`);
  });
};

/** Dumps the services' schemas as they are at one moment. */
export const dump = (url: string, file: string, signal: AbortSignal): Promise<void> => {
  const ours = databaseOwners.map((owner) => `--schema=${owner}`);
  return runClient('pg_dump', url, ['--format=custom', ...ours, '--file', file], signal);
};

/** A Postgres of our own, while nothing else of the stack runs. */
export const startOwn = async (state: string) => {
  const dir = join(state, 'postgres');
  const wasThere = existsSync(dir);
  const postgres = await startPostgres({ dir, logFile: join(state, 'logs/postgres.log') });
  return {
    url: await ensureDatabase(postgres.url, ownDatabaseName),
    stop: () => postgres.stop(),
    /** Takes it away again where it was not there before. */
    remove: () => {
      if (wasThere) return;
      rmSync(postgres.data, { recursive: true, force: true });
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

interface Filling {
  /** The dump. */
  file: string;
  /** Has the passwords of the services' roles. */
  state: string;
  /** How often this dump was restored before. */
  restoredBefore: number;
  signal: AbortSignal;
}

/** Fills a database without tables of Cardinal, completely or not at all, and sets every counter on. */
export const fill = async (url: string, { file, state, restoredBefore, signal }: Filling): Promise<void> => {
  const passwords = ensurePasswords(join(state, 'database-passwords.json'), databaseOwners);
  try {
    // What the dump refers to and has not.
    await ensureRoles(url, passwords);
    const whole = ['--clean', '--if-exists', '--single-transaction', '--exit-on-error'];
    await runClient('pg_restore', url, [...whole, file], signal);
    const urls = await provision({ databaseUrl: url, passwords });
    const sources = openSources(databaseOwners, (owner) => urls[owner]);
    await requestAdvance(sources, undefined, restoredBefore).finally(sources.close);
    signal.throwIfAborted();
  } catch (error) {
    const drops = databaseOwners.map((owner) => `drop schema if exists ${owner} cascade`);
    await runStatements(url, drops);
    throw error;
  }
};
