import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  ensureDatabase,
  ensureKeys,
  freePort,
  inDatabase,
  readiness,
  repository,
  runStatements,
  startChild,
  startPostgres,
  tokenAudience,
  tokenIssuer,
  waitFor,
} from '@cardinal/servers';
import { v7 } from 'uuid';

/** Cardinal as one process of all services, as a process for each, and the reference. */
export const systemNames = ['together', 'apart', 'reference'] as const;
/** The last release, as a process for each service, is measured beside this build alone. */
export type SystemName = (typeof systemNames)[number] | 'release';

/** A running system with the API of the paths that are measured. */
export interface System {
  name: SystemName;
  /** `http://127.0.0.1:port/api/kanban/v1` */
  baseUrl: string;
  token: string;
  /** Milliseconds from the start of its first process until it was ready. */
  startedInMs: number;
  /** Its processes by name; what shares a name is added up. */
  processes(): { name: string; pid: number }[];
  stop(): Promise<void>;
}

/** The URL of the database that a system has for itself. */
export const databaseOf = ({ postgres }: Environment, { name }: System): string => inDatabase(postgres.url, name);

/** What both systems share: the machine, one Postgres, one token. */
export type Environment = Awaited<ReturnType<typeof startEnvironment>>;

const twelveHours = 12 * 3_600;

/** Takes traces and drops them, so tracing costs what it costs with a collector nearby. */
const startCollector = async () => {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
};

/** Starts what both systems need: a Postgres with `pg_stat_statements` and a collector of traces. */
export const startEnvironment = async (folder: string) => {
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const postgres = await startPostgres({
    dir: join(folder, 'postgres'),
    settings: {
      shared_preload_libraries: 'pg_stat_statements',
      shared_buffers: '512MB',
      max_wal_size: '4GB',
      max_connections: '500',
    },
  });
  const collector = await startCollector();
  const { sign, jwksPath: jwks } = await ensureKeys(join(folder, 'keys'));
  const [workspace, user] = [v7(), v7()];
  const token = await sign({ workspace, user, scope: 'kanban:read kanban:write', expiresIn: twelveHours });
  const stop = async () => {
    collector.stop();
    await postgres.stop();
  };
  return { postgres, workspace, user, token, sign, folder, traces: collector.url, jwks, stop };
};

interface StartOptions {
  name: SystemName;
  /** The checkout; this one where left out. */
  build?: string;
  program: string;
  args?: string[];
  env: Record<string, string>;
}

/** Starts a program of a checkout that listens at `PORT`, and waits until it is ready. */
const start = async (
  { folder, token }: Environment,
  { name, build = repository, program, args = [], env }: StartOptions,
) => {
  const port = await freePort();
  const child = await startChild({
    command: process.execPath,
    args: [join(build, program), ...args],
    cwd: build,
    logFile: join(folder, `logs/${name}.log`),
    env: { PORT: String(port), ...env },
  });
  const began = performance.now();
  const isReady = async () => (await readiness('127.0.0.1', port))?.ready || undefined;
  if (!(await waitFor(isReady, { timeoutMs: 120_000, child }))) throw new Error(`${name} did not start`);
  const startedInMs = performance.now() - began;
  const stop = () => child.stop('SIGTERM', 30_000);
  return { name, baseUrl: `http://127.0.0.1:${port}/api/kanban/v1`, token, startedInMs, stop, pid: child.pid };
};

/** Starts Cardinal as `npm start` does, on the Postgres of the surroundings, with all that a user has on. */
export const startCardinal = async (
  environment: Environment,
  name: Exclude<SystemName, 'reference'>,
  build?: string,
): Promise<System> => {
  const state = join(environment.folder, name);
  cpSync(join(environment.folder, 'keys'), join(state, 'keys'), { recursive: true });
  // Both have the roles of one server.
  const passwords = 'database-passwords.json';
  const known = ['release', ...systemNames].map((one) => join(environment.folder, one, passwords)).find(existsSync);
  if (known) cpSync(known, join(state, passwords));
  const env = {
    CARDINAL_STATE: state,
    DATABASE_URL: await ensureDatabase(environment.postgres.url, name),
    LOG_LEVEL: 'info',
    RATE_LIMIT_MAX: '1000000000',
    // A receiver of this process.
    WEBHOOK_HTTP: 'true',
    WEBHOOK_NETWORKS: '127.0.0.1/32',
    OTEL_EXPORTER_OTLP_ENDPOINT: environment.traces,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  const program = 'deploy/local/src/start.ts';
  const args = name === 'apart' ? ['--apart'] : [];
  const run = () =>
    JSON.parse(readFileSync(join(state, 'run.json'), 'utf8')) as { processes: { pid: number; identity: string }[] };
  return {
    ...(await start(environment, { name, program, args, env, ...(build && { build }) })),
    processes: () =>
      run().processes.map(({ pid, identity }) => ({
        pid,
        name:
          /(?:services|deploy)\/([a-z]+)\//.exec(identity)?.[1] ??
          (identity.includes('nats-server') ? 'nats' : 'other'),
      })),
  };
};

/** Starts the reference in one process, on the same Postgres. */
export const startReference = async (environment: Environment): Promise<System> => {
  const databaseUrl = await ensureDatabase(environment.postgres.url, 'reference');
  await runStatements(databaseUrl, [readFileSync(join(import.meta.dirname, 'reference/schema.sql'), 'utf8')]);
  const env = {
    DATABASE_URL: databaseUrl,
    JWKS_FILE: environment.jwks,
    TOKEN_ISSUER: tokenIssuer,
    TOKEN_AUDIENCE: tokenAudience,
  };
  const program = 'deploy/load/src/reference/main.ts';
  const system = await start(environment, { name: 'reference', program, env });
  return { ...system, processes: () => [system] };
};
