import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type Child,
  ensureDatabase,
  ensureKeys,
  freePort,
  type Postgres,
  repository,
  runStatements,
  startChild,
  startPostgres,
  tokenAudience,
  tokenIssuer,
  waitFor,
} from '@cardinal/servers';
import { v7 } from 'uuid';

/** A running system with the API of the paths that are measured. */
export interface System {
  name: 'cardinal' | 'reference';
  /** `http://127.0.0.1:port/api/kanban/v1` */
  baseUrl: string;
  token: string;
  /** Milliseconds from the start of its first process until it was ready. */
  startedInMs: number;
  /** Its processes by name; what shares a name is added up. */
  processes(): { name: string; pid: number }[];
  stop(): Promise<void>;
}

/** What both systems share: the machine, one Postgres, one token. */
export interface Environment {
  postgres: Postgres;
  workspace: string;
  user: string;
  token: string;
  stop(): Promise<void>;
  folder: string;
  traces: string;
  jwks: string;
}

const twelveHours = 12 * 3_600;

/** Takes traces and forgets them, so that tracing costs what it costs where a collector stands nearby. */
const startCollector = async () => {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
};

/** Starts what both systems need: a Postgres with `pg_stat_statements` and a collector of traces. */
export const startEnvironment = async (folder: string): Promise<Environment> => {
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const postgres = await startPostgres({
    dir: join(folder, 'postgres'),
    settings: { shared_preload_libraries: 'pg_stat_statements', shared_buffers: '512MB', max_wal_size: '4GB' },
  });
  const collector = await startCollector();
  const keys = await ensureKeys(join(folder, 'cardinal/keys'));
  const [workspace, user] = [v7(), v7()];
  const token = await keys.sign({ workspace, user, scope: 'kanban:read kanban:write', expiresIn: twelveHours });
  return {
    postgres,
    workspace,
    user,
    token,
    folder,
    traces: collector.url,
    jwks: keys.jwksPath,
    stop: async () => {
      collector.stop();
      await postgres.stop();
    },
  };
};

const isReady = async (url: string) => {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status < 500 || undefined;
  } catch {
    return undefined;
  }
};

const running = async (child: Child, url: string, what: string): Promise<number> => {
  const began = performance.now();
  if (!(await waitFor(() => isReady(url), { timeoutMs: 120_000, child }))) throw new Error(`${what} did not start`);
  return performance.now() - began;
};

/** Starts Cardinal as `npm start` does, on the Postgres of the surroundings, with all that a user has on. */
export const startCardinal = async (environment: Environment): Promise<System> => {
  const state = join(environment.folder, 'cardinal');
  const port = await freePort();
  const child = await startChild({
    command: process.execPath,
    args: [join(repository, 'deploy/local/src/start.ts')],
    cwd: repository,
    logFile: join(environment.folder, 'logs/cardinal.log'),
    env: {
      CARDINAL_STATE: state,
      PORT: String(port),
      DATABASE_URL: await ensureDatabase(environment.postgres.url, 'cardinal'),
      LOG_LEVEL: 'info',
      RATE_LIMIT_MAX: '1000000000',
      OTEL_EXPORTER_OTLP_ENDPOINT: environment.traces,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    },
  });
  const startedInMs = await running(child, `http://127.0.0.1:${port}/readyz`, 'Cardinal');
  const run = () =>
    JSON.parse(readFileSync(join(state, 'run.json'), 'utf8')) as { processes: { pid: number; identity: string }[] };
  return {
    name: 'cardinal',
    baseUrl: `http://127.0.0.1:${port}/api/kanban/v1`,
    token: environment.token,
    startedInMs,
    processes: () =>
      run().processes.map(({ pid, identity }) => ({
        pid,
        name: /services\/([a-z]+)\//.exec(identity)?.[1] ?? (identity.includes('nats-server') ? 'nats' : 'other'),
      })),
    stop: () => child.stop('SIGTERM', 30_000),
  };
};

/** Starts the reference in one process, on the same Postgres. */
export const startReference = async (environment: Environment): Promise<System> => {
  const databaseUrl = await ensureDatabase(environment.postgres.url, 'reference');
  await runStatements(databaseUrl, [readFileSync(join(import.meta.dirname, 'reference/schema.sql'), 'utf8')]);
  const port = await freePort();
  const child = await startChild({
    command: process.execPath,
    args: [join(import.meta.dirname, 'reference/main.ts')],
    cwd: repository,
    logFile: join(environment.folder, 'logs/reference.log'),
    env: {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      JWKS_FILE: environment.jwks,
      TOKEN_ISSUER: tokenIssuer,
      TOKEN_AUDIENCE: tokenAudience,
    },
  });
  const startedInMs = await running(child, `http://127.0.0.1:${port}/`, 'The reference');
  return {
    name: 'reference',
    baseUrl: `http://127.0.0.1:${port}/api/kanban/v1`,
    token: environment.token,
    startedInMs,
    processes: () => [{ name: 'reference', pid: child.pid }],
    stop: () => child.stop('SIGTERM', 10_000),
  };
};
