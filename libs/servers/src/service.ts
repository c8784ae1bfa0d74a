import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { hereHost } from './addresses.ts';
import { compileCache, repository } from './config.ts';
import { tokenAudience, tokenIssuer } from './keys.ts';
import { type Child, type SpawnOptions, startChild, waitFor } from './process.ts';

/** A service that did not come up; `output` holds its last log lines. */
export class ServiceFailure extends Error {
  readonly output: string;
  constructor(name: string, why: string, output: string) {
    super(`${name} ${why}\n${output}`);
    this.output = output;
  }
}

/** A file of a service that is run as a process. */
interface Program {
  /** Folder under `services/`. */
  service: string;
  /** The file in it, e.g. `src/main.ts`. */
  file: string;
  env: Record<string, string>;
  logFile: string;
  /** The checkout that it is taken from: this one where left out. */
  build?: string | undefined;
}

/** How it is run. */
const program = ({ service, file, env, logFile, build = repository }: Program): SpawnOptions => ({
  command: process.execPath,
  args: [join(build, 'services', service, file)],
  cwd: build,
  env: { ...compileCache, ...env },
  logFile,
});

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
  const env = { DATABASE_URL: databaseUrl };
  const child = await startChild(program({ service: name, file: 'src/migrate.ts', env, logFile, build }));
  const { code } = await child.exited;
  if (code !== 0) throw new ServiceFailure(name, 'could not be migrated', child.lastWords());
};

export interface ServiceOptions {
  /** Folder under `services/`. */
  name: string;
  /** Its configuration; `PORT` is any free one when left out. */
  env: Record<string, string>;
  logFile: string;
  /** The checkout that it is taken from: this one where left out. */
  build?: string | undefined;
  /** How long it may take to become ready, in milliseconds. */
  timeoutMs?: number;
}

/** A running service. */
export interface Service extends Child {
  name: string;
  port: number;
  /** Where its `/metrics` is. */
  metricsPort: number;
}

/** A port that a service logged. */
const loggedPort = (log: string, message: string, field: string): number | undefined => {
  for (const line of log.split('\n')) {
    if (!line.includes(`"${message}"`)) continue;
    try {
      const entry = JSON.parse(line) as Record<string, unknown>;
      if (entry.msg === message && entry[field]) return Number(entry[field]);
    } catch {
      // A line still being written.
    }
  }
  return undefined;
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

/** Starts `services/<name>/src/main.ts`, and waits for nothing. */
export const launchService = ({ name, env, logFile, build }: ServiceOptions): Promise<Child> =>
  startChild(program({ service: name, file: 'src/main.ts', env: { PORT: '0', ...env }, logFile, build }));

/**
 * Starts `services/<name>/src/main.ts` and waits until it is ready.
 * @throws ServiceFailure when it ends first or does not become ready in time
 */
export const startService = async (options: ServiceOptions): Promise<Service> => {
  const { name, env, timeoutMs = 60_000 } = options;
  const child = await launchService(options);
  const deadline = performance.now() + timeoutMs;
  const remaining = () => ({ timeoutMs: deadline - performance.now(), child });
  const port = await waitFor(() => loggedPort(child.output(), 'listening', 'port'), remaining());
  let said = '';
  const isReady = async (at: number) => {
    const answer = await readiness(hereHost(env.HOST ?? '127.0.0.1'), at);
    said = answer ? `: ${answer.says}` : said;
    return answer?.ready || undefined;
  };
  const ready = port && (await waitFor(() => isReady(port), remaining()));
  if (!ready) {
    const why = child.hasExited() ? 'ended while starting' : `did not become ready${said}`;
    await child.stop();
    throw new ServiceFailure(name, why, child.lastWords());
  }
  const metricsPort = loggedPort(child.output(), 'serving metrics', 'metrics_port') ?? port;
  return { ...child, name, port, metricsPort };
};

/** The configuration of a service with a database: what its `src/config.ts` reads. */
export const serviceEnvironment = (urls: { databaseUrl: string; natsUrl: string }): Record<string, string> => ({
  DATABASE_URL: urls.databaseUrl,
  NATS_URL: urls.natsUrl,
});

/** What the attachment service needs beyond that: a folder for the files, a port for transfers, a key that signs. */
export const filesEnvironment = (options: {
  folder: string;
  port: number;
  secret: string;
}): Record<string, string> => ({
  STORAGE_URL: pathToFileURL(options.folder).href,
  FILES_PORT: String(options.port),
  URL_SECRET: options.secret,
});

/** The configuration of a gateway that trusts the development key. */
export const gatewayEnvironment = (options: { natsUrl: string; jwks: string }): Record<string, string> => ({
  NATS_URL: options.natsUrl,
  JWKS_FILE: options.jwks,
  TOKEN_ISSUER: tokenIssuer,
  TOKEN_AUDIENCE: tokenAudience,
});
