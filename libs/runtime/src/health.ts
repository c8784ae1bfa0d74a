import { createServer } from 'node:http';
import { firstOf } from './context.ts';
import type { Logger } from './logger.ts';
import { answerMetrics, listening } from './metrics.ts';

export interface HealthOptions {
  /** 0 takes any free port. */
  port: number;
  host: string;
  /** What must work for requests to succeed; a check fails by rejecting. */
  checks: Record<string, () => Promise<void>>;
  logger: Logger;
}

export type HealthServer = Awaited<ReturnType<typeof serveHealth>>;

const checkTimeoutMs = 2_000;

/** Names of the checks that do not pass within 2 s. */
export const failedChecks = async (checks: HealthOptions['checks']): Promise<string[]> => {
  const outcomes = await Promise.all(
    Object.entries(checks).map(([name, check]) => {
      const passed = (async () => check())().then(() => []);
      return firstOf<string[]>(passed, checkTimeoutMs, () => [name]).catch(() => [name]);
    }),
  );
  return outcomes.flat();
};

/**
 * Serves `/healthz` (the process lives), `/readyz` (every check passes and the process is not stopping, else 503 naming
 * what failed) and `/metrics`.
 */
export const serveHealth = async ({ port, host, checks, logger }: HealthOptions) => {
  let stopping = false;
  const answerTo = async (path: string) => {
    if (path === '/healthz') return { status: 200, body: { status: 'ok' } };
    if (path !== '/readyz') return { status: 404, body: { status: 'not found' } };
    const failed = stopping ? ['stopping'] : await failedChecks(checks);
    return failed.length === 0 ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { failed } };
  };
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/metrics') return answerMetrics(response, logger);
    const { status, body } = await answerTo(path);
    return void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const listener = await listening(server, { port, host });
  logger.info({ port: listener.port }, 'listening');
  return {
    ...listener,
    /** From now on `/readyz` answers 503. */
    setStopping(): void {
      stopping = true;
    },
  };
};
