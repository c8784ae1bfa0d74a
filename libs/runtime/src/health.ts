import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from './logger.ts';

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
 * Serves `/healthz` (the process lives) and `/readyz` (every check passes and the process is not stopping, else 503
 * naming what failed).
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
    const answer = answers[request.url?.split('?')[0] ?? ''];
    const { status, body } = answer ? await answer() : { status: 404, body: { status: 'not found' } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  logger.info({ port: bound }, 'listening');
  return {
    port: bound,
    setStopping() {
      stopping = true;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
