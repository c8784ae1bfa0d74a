import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { type ServiceName, serviceNames } from '@cardinal/contracts';
import type { Migrations } from '@cardinal/db';
import type { z } from 'zod';
import { hereHost, urlOf } from './addresses.ts';
import { compileCache, repository } from './config.ts';
import { tokenAudience, tokenIssuer } from './keys.ts';
import { type Child, type SpawnOptions, startChild, waitFor } from './process.ts';

/** A service that did not come up, with its last log lines. */
export class ServiceFailure extends Error {
  constructor(name: string, why: string, output: string) {
    super(`${name} ${why}\n${output}`);
  }
}

/** The name of a process that runs all services. */
export const allServices = 'all';

interface ServiceOptions {
  /** Folder under `services/`; `all` runs them together in one process. */
  name: string;
  /** Its configuration; `PORT` is any free one when left out. */
  env: Record<string, string>;
  logFile: string;
  /** The checkout that it is taken from: this one where left out. */
  build?: string | undefined;
  /** How long it may take to listen, and then to become ready, in milliseconds. */
  timeoutMs?: number;
  /** It is not waited for; `PORT` must be a port then. */
  isImpatient?: boolean | undefined;
  /** The process of `loadServices` to configure; a new one where left out. */
  loaded?: Child | undefined;
}

/** Runs a file of a service, e.g. `src/main.ts`, as a process. */
const run = (
  file: string,
  { name, env, logFile, build = repository }: ServiceOptions,
  input: Pick<SpawnOptions, 'hasInput'> = {},
): Promise<Child> =>
  startChild({
    command: process.execPath,
    args: [join(build, name === allServices ? 'deploy/together' : join('services', name), file)],
    cwd: build,
    env: { ...compileCache, ...env },
    logFile,
    ...input,
  });

/**
 * Starts a process that loads all services and waits for its configuration, so that it loads them while their servers
 * start. It ends where this process ends before.
 */
export const loadServices = (logFile: string): Promise<Child> =>
  run('src/main.ts', { name: allServices, env: { VARIABLES_FROM: 'stdin' }, logFile }, { hasInput: true });

/**
 * Runs `services/<name>/src/migrate.ts` as the service's own role.
 * @param build the checkout whose migrations run: this one where left out
 * @throws ServiceFailure with what it printed when it fails
 */
export const migrateService = async (
  name: string,
  databaseUrl: string,
  logFile: string,
  build?: string,
): Promise<void> => {
  const child = await run('src/migrate.ts', { name, env: { DATABASE_URL: databaseUrl }, logFile, build });
  const { code } = await child.exited;
  if (code !== 0) throw new ServiceFailure(name, 'could not be migrated', child.lastWords());
};

/** Imports a file of a service of this checkout, e.g. `src/config.ts`. */
const importOf = (name: string, file: string) => import(pathToFileURL(join(repository, 'services', name, file)).href);

/**
 * Brings the schema of a service of this checkout up to date as its own role, as `migrateService` does, without a process.
 * @throws ServiceFailure with what is wrong when it fails
 */
export const migrateHere = async (name: string, url: string): Promise<void> => {
  const { migrations } = (await importOf(name, 'src/migrations/index.ts')) as { migrations: Migrations };
  const { migrate } = await import('@cardinal/db');
  await migrate({ url, migrations }).catch((error: Error) => {
    throw new ServiceFailure(name, 'could not be migrated', `${error.stack}`);
  });
};

/** What each service reads of its environment: the `configSchema` of its `src/config.ts`. */
export const configSchemas = async (): Promise<Record<ServiceName, z.ZodObject>> => {
  const schemaOf = async (name: ServiceName): Promise<[ServiceName, z.ZodObject]> => [
    name,
    (await importOf(name, 'src/config.ts')).configSchema,
  ];
  return Object.fromEntries(await Promise.all(serviceNames.map(schemaOf))) as Record<ServiceName, z.ZodObject>;
};

/** A running service. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** A port that a service logged. */
const loggedPort = (log: string, says: { service: string; msg: string }, field: string): number | undefined => {
  // The last line may still be written.
  const lines = log.split('\n').slice(0, -1);
  const words = Object.entries(says).map(([key, value]) => `"${key}":"${value}"`);
  const line = lines.find((one) => one.startsWith('{') && words.every((word) => one.includes(word)));
  return line === undefined ? undefined : Number(JSON.parse(line)[field]);
};

/** Whether the service that listens there is ready, and what its `/readyz` says; undefined where it does not answer. */
export const readiness = (host: string, port: number): Promise<{ ready: boolean; says: string } | undefined> =>
  new Promise((resolve) => {
    const request = get({ host, port, path: '/readyz?verbose', timeout: 5_000, agent: false }, async (response) => {
      const says = await text(response).catch(() => '');
      resolve({ ready: response.statusCode === 200, says });
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
  });

/**
 * Starts `services/<name>/src/main.ts`, or all of them together, and waits until it is ready.
 * @throws ServiceFailure when it ends first or does not become ready in time
 */
export const startService = async (options: ServiceOptions) => {
  const { name, env, timeoutMs = 60_000, isImpatient } = options;
  const isAll = name === allServices;
  const { HOST = '127.0.0.1', PORT = '0' } = isAll
    ? { HOST: env.GATEWAY_HOST ?? env.HOST, PORT: env.GATEWAY_PORT }
    : env;
  const { loaded } = options;
  loaded?.finishInput(JSON.stringify(env));
  const child = loaded ?? (await run('src/main.ts', { ...options, env: { PORT, ...env } }));
  const host = hereHost(HOST);
  const serviceAt = (port: number, metricsPort = port) => ({
    ...child,
    name,
    port,
    url: urlOf(host, port),
    metricsUrl: `${urlOf(hereHost(env.METRICS_HOST ?? '127.0.0.1'), metricsPort)}/metrics`,
    /** What it lacks; undefined when it is ready. */
    lacks: async (): Promise<string | undefined> => {
      const answer = await readiness(host, port);
      return answer?.ready ? undefined : (answer?.says ?? 'does not answer');
    },
  });
  if (isImpatient) return serviceAt(Number(PORT));
  // Each look costs it some of the time that it needs to start.
  const patience = { timeoutMs, everyMs: 50, child };
  const portOf = (service: string, msg: string, field = 'port') => loggedPort(child.output(), { service, msg }, field);
  const port = await waitFor(() => portOf(isAll ? 'gateway' : name, 'listening'), patience);
  let lacks: string | undefined = 'does not listen';
  const isReady = async (at: number) => {
    lacks = await serviceAt(at).lacks();
    return lacks === undefined || undefined;
  };
  if (port && (await waitFor(() => isReady(port), patience))) {
    return serviceAt(
      port,
      isAll ? portOf(name, 'serving health and metrics') : portOf(name, 'serving metrics', 'metrics_port'),
    );
  }
  const why = child.hasExited() ? 'ended while starting' : `did not become ready: ${lacks}`;
  await child.stop();
  throw new ServiceFailure(name, why, child.lastWords());
};

interface Places {
  natsUrl: string;
  /** File of the authority of the broker's certificates. */
  natsCa?: string | undefined;
  databaseUrl?: string;
  /** Where the attachment service keeps the files, the port of transfers, and the key that signs their URLs. */
  files?: { folder: string; port: number; secret: string };
  /** What encrypts the secrets of webhooks, for the event service. */
  webhookKey?: string;
  /** File of the development key, for a gateway that trusts it. */
  jwks?: string;
  /** What opens the route that creates the first API key, for the gateway. */
  operatorKey?: string;
}

/** The configuration with which a service finds what it needs: what its `src/config.ts` reads. */
export const serviceEnvironment = ({
  natsUrl,
  natsCa,
  databaseUrl,
  files,
  webhookKey,
  jwks,
  operatorKey,
}: Places): Record<string, string> => ({
  NATS_URL: natsUrl,
  ...(natsCa !== undefined && { NATS_CA: natsCa }),
  ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  ...(files && {
    STORAGE_URL: pathToFileURL(files.folder).href,
    FILES_PORT: String(files.port),
    URL_SECRET: files.secret,
  }),
  ...(webhookKey !== undefined && { WEBHOOK_KEY: webhookKey }),
  ...(operatorKey !== undefined && { OPERATOR_KEY: operatorKey }),
  ...(jwks !== undefined && { JWKS_FILE: jwks, TOKEN_ISSUER: tokenIssuer, TOKEN_AUDIENCE: tokenAudience }),
});
