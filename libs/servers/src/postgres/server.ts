import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../addresses.ts';
import { startChild, waitFor } from '../process.ts';
import { endLeftover, ensureCluster, isReady, portOf, superuserPassword } from './cluster.ts';
import { foldersFor, hasCluster, postgresAccount, rememberedData } from './folders.ts';
import { inDatabase } from './roles.ts';

interface PostgresOptions {
  /** Holds the data, the superuser's password and, unless `logFile` is given, the log. */
  dir: string;
  /** A free one when left out. */
  port?: number | undefined;
  logFile?: string;
  /** Server settings over ours, e.g. `{ fsync: 'off' }` for data that may be lost with the machine. */
  settings?: Record<string, string>;
  /** It ran here before: data that is gone is not made anew, empty. */
  isRestart?: boolean;
}

/** A Postgres of our own. */
export type Postgres = Awaited<ReturnType<typeof attempt>>;

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  jit: 'off',
  shared_buffers: '128MB',
};

/** An attempt that another one may follow. */
class NotStarted extends Error {}

const attempt = async (options: PostgresOptions) => {
  if (options.isRestart && !hasCluster(options.dir)) throw new Error(`its data in ${options.dir} is gone`);
  const account = postgresAccount();
  const folders = foldersFor(options.dir, account);
  await endLeftover(folders.data);
  await ensureCluster(folders, account, superuserPassword(options.dir));
  const port = await freePort(options.port);
  if (options.port && port !== options.port)
    throw new NotStarted(`Postgres did not start: port ${options.port} is taken`);
  const settings = Object.entries({ ...defaults, ...options.settings, port: String(port) });
  const child = await startChild({
    command: join(folders.binaries, 'bin/postgres'),
    args: ['-D', folders.data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    logFile: options.logFile ?? join(options.dir, 'postgres.log'),
    cwd: '/',
    ...account,
  });
  const ready = await waitFor(() => isReady(folders.data, child.pid) || undefined, { timeoutMs: 60_000, child });
  if (!ready) {
    await child.stop('SIGQUIT', 2_000);
    throw new NotStarted(`Postgres did not start: ${child.lastWords()}`);
  }
  return {
    ...child,
    /** Superuser, database `postgres`. */
    url: urlAt(options.dir, port),
    port,
    /** Where its data is: in `dir`, unless the user that runs Postgres cannot enter that. */
    data: folders.data,
    // Fast shutdown: Postgres's SIGTERM would wait for every client to leave.
    stop: (signal: NodeJS.Signals = 'SIGINT', graceMs = 20_000) => child.stop(signal, graceMs),
  };
};

/**
 * Starts Postgres on loopback with the data in `dir`, and recovers by itself from what a killed run left there.
 * @throws Error with the server's last output when it will not start, or where a restart finds its data gone
 */
export const startPostgres = async (options: PostgresOptions): Promise<Postgres> => {
  // Backends of a killed postmaster hold its shared memory for a moment; a port can be lost to another process.
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(options);
    } catch (error) {
      if (!(error instanceof NotStarted) || tries === 5) throw error;
    }
    await pause(400);
  }
};

/** The database of a Postgres that we run ourselves. */
export const ownDatabaseName = 'cardinal';

/** The URL of a database of the Postgres that runs on the data of `dir`, as superuser; undefined where none runs. */
export const runningPostgres = (dir: string, database: string): string | undefined => {
  const data = rememberedData(dir);
  const port = data && portOf(data);
  if (!port) return undefined;
  return inDatabase(urlAt(dir, port), database);
};

const urlAt = (dir: string, port: number) => `postgres://postgres:${superuserPassword(dir)}@127.0.0.1:${port}/postgres`;
