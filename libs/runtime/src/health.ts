import { createServer } from 'node:http';
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

export interface HealthServer {
  port: number;
  /** From now on `/readyz` answers 503. */
  setStopping(): void;
  close(): Promise<void>;
}

const checkTimeoutMs = 2_000;

/** Names of the checks that do not pass within 2 s. */
export const failedChecks = async (checks: HealthOptions['checks']): Promise<string[]> => {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('timed out')), checkTimeoutMs);
      });
      return Promise.race([(async () => check())(), timeout])
        .then(
          () => [],
          () => [name],
        )
        .finally(() => clearTimeout(timer));
    }),
  );
  return outcomes.flat();
};

/**
 * Serves `/healthz` (the process lives), `/readyz` (every check passes and the process is not stopping, else 503 naming
 * what failed) and `/metrics`.
 */
export const serveHealth = async ({ port, host, checks, logger }: HealthOptions): Promise<HealthServer> => {
  let stopping = false;
  const readiness = async () => {
    const failed = stopping ? ['stopping'] : await failedChecks(checks);
    return failed.length === 0 ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { failed } };
  };
  const server = createServer(async (request, response) => {
    const answers: Record<string, () => Promise<{ status: number; body: object }>> = {
      '/healthz': async () => ({ status: 200, body: { status: 'ok' } }),
      '/readyz': readiness,
    };
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/metrics') return answerMetrics(response, logger);
    const answer = answers[path];
    const { status, body } = answer ? await answer() : { status: 404, body: { status: 'not found' } };
    return void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const listener = await listening(server, { port, host });
  logger.info({ port: listener.port }, 'listening');
  return {
    ...listener,
    setStopping() {
      stopping = true;
    },
  };
};
