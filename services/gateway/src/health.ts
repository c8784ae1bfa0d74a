import { type Bus, pingOf } from '@cardinal/bus';
import { unavailable } from '@cardinal/contracts';
import { failedChecks } from '@cardinal/runtime';
import type { FastifyInstance } from 'fastify';
import { errorResponse } from './errors.ts';

/** The services behind the API. */
const services = ['card', 'identifier', 'dependency', 'attachment'] as const;

/** How long a service may take to answer a probe, and how long what was found out is told to others who ask, ms. */
const pingTimeoutMs = 1_000;
const goodForMs = 1_000;

interface Checked {
  bus: Pick<Bus, 'call' | 'ping'>;
  /** Rejects while the keys of tokens cannot be had. */
  keys: () => Promise<void>;
}

const checksOf = ({ bus, keys }: Checked): Record<string, () => Promise<void>> => ({
  bus: () => bus.ping(),
  keys,
  ...Object.fromEntries(
    services.map((service) => [
      service,
      async () => void (await bus.call(pingOf(service), {}, { timeoutMs: pingTimeoutMs })),
    ]),
  ),
});

/** However many ask, the checks run once at a time, and at most once in a while. */
const shared = <Result>(look: () => Promise<Result>): (() => Promise<Result>) => {
  let round: Promise<Result> | undefined;
  return () => {
    round ??= look().finally(() => {
      setTimeout(() => {
        round = undefined;
      }, goodForMs).unref();
    });
    return round;
  };
};

/**
 * `/healthz` (the process lives) and `/readyz`: 503 while it stops, the bus or a service behind it does not answer, or
 * the keys of tokens cannot be had. `?verbose` says how each of them is, `?exclude=card` passes over one: who takes a
 * gateway away when it is not ready would else take all of them for one service that is down.
 */
export const health = (app: FastifyInstance, checked: Checked): void => {
  const checks = checksOf(checked);
  const look = shared(() => failedChecks(checks));
  let stopping = false;
  app.addHook('preClose', (done) => {
    stopping = true;
    done();
  });

  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const { exclude = [], ...query } = request.query as { exclude?: string | string[] };
    const counts = (name: string) => ![exclude].flat().includes(name);
    const failed = stopping ? ['stopping'] : (await look()).filter(counts);
    const names = [...Object.keys(checks).filter(counts), ...(stopping ? ['stopping'] : [])];
    const isVerbose = 'verbose' in query;
    const details = isVerbose
      ? { checks: Object.fromEntries(names.map((name) => [name, failed.includes(name) ? 'failed' : 'ok'])) }
      : {};
    if (failed.length === 0) return { status: 'ok', ...details };
    const { status, headers, body } = errorResponse(unavailable('Not ready'), request.id);
    reply.code(status).headers(headers);
    return { ...body, ...details };
  });
};
