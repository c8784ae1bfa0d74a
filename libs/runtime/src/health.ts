import { release } from '@cardinal/contracts';
import { firstOf } from './context.ts';
import type { Logger } from './logger.ts';
import { notFound, serveWithMetrics } from './metrics.ts';

/** Checks that must pass for requests to succeed. A check fails by rejecting. */
type Checks = Record<string, () => Promise<void>>;

const checkTimeoutMs = 2_000;

/** Runs checks. @returns the names of those that did not pass within 2 s */
export const failedChecks = async (checks: Checks): Promise<string[]> => {
  const outcomes = await Promise.all(
    Object.entries(checks).map(([name, check]) => {
      const passed = (async () => check())().then(() => []);
      return firstOf<string[]>(passed, checkTimeoutMs, () => [name]).catch(() => [name]);
    }),
  );
  return outcomes.flat();
};

/**
 * Serves `/healthz` (the process is alive; its release), `/readyz` (200 where every check passes and the process is not
 * stopping, else 503 with the failed checks) and `/metrics`.
 */
export const serveHealth = async ({
  checks,
  listening = 'listening',
  ...at
}: {
  port: number;
  host: string;
  checks: Checks;
  logger: Logger;
  /** The log line with its port. */
  listening?: string;
}) => {
  let stopping = false;
  const listener = await serveWithMetrics(at, async (path) => {
    if (path === '/healthz') return { status: 200, body: { status: 'ok', version: release } };
    if (path !== '/readyz') return notFound;
    const failed = stopping ? ['stopping'] : await failedChecks(checks);
    return failed.length === 0 ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { failed } };
  });
  at.logger.info({ port: listener.port }, listening);
  return {
    ...listener,
    /** From now on `/readyz` answers 503. */
    setStopping(): void {
      stopping = true;
    },
  };
};
