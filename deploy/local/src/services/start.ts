import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Child, type Exit, startChild } from '../processes/child.ts';
import { lastLines, readLog, sizeOf } from '../processes/log-tail.ts';
import { waitFor } from '../processes/wait.ts';
import { hereHost } from '../start/hosts.ts';
import { ServiceFailure } from './failure.ts';
import { program } from './program.ts';

export interface ServiceOptions {
  /** Folder under `services/`. */
  name: string;
  /** Its configuration; `PORT` is any free one when left out. */
  env: Record<string, string>;
  logFile: string;
  /** Called once the process is gone, for whatever reason. */
  onExit?: (exit: Exit) => void;
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

/** What `/readyz` says, where it answers. */
const readiness = (host: string, port: number) =>
  new Promise<{ ready: boolean; says: string } | undefined>((resolve) => {
    const request = get({ host, port, path: '/readyz?verbose', timeout: 5_000, agent: false }, async (response) => {
      const says = await text(response).catch(() => '');
      resolve({ ready: response.statusCode === 200, says });
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
  });

/**
 * Starts `services/<name>/src/main.ts` and waits until it is ready.
 * @throws ServiceFailure when it ends first or does not become ready in time
 */
export const startService = async ({
  name,
  env,
  logFile,
  onExit,
  build,
  timeoutMs = 60_000,
}: ServiceOptions): Promise<Service> => {
  const from = sizeOf(logFile);
  const started = { service: name, file: 'src/main.ts', env: { PORT: '0', ...env }, logFile, build };
  const child = await startChild(program(started));
  const deadline = performance.now() + timeoutMs;
  const remaining = () => ({ timeoutMs: deadline - performance.now(), child });
  const port = await waitFor(() => loggedPort(readLog(logFile, from), 'listening', 'port'), remaining());
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
    throw new ServiceFailure(name, why, lastLines(readLog(logFile, from)));
  }
  if (onExit) void child.exited.then(onExit);
  const metricsPort = loggedPort(readLog(logFile, from), 'serving metrics', 'metrics_port') ?? port;
  return { ...child, name, port, metricsPort };
};
