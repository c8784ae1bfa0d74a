import { type Bus, pingOf } from '@cardinal/bus';
import { unavailable } from '@cardinal/contracts';
import { askedOnce, failedChecks } from '@cardinal/runtime';
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

/**
 * `/healthz` (the process lives) and `/readyz`: 503 while it stops, the bus or a service behind it does not answer, or
 * the keys of tokens cannot be had. `?verbose` says how each of them is, `?exclude=card` passes over one: who takes a
 * gateway away when it is not ready would else take all of them for one service that is down.
 */
export const health = (app: FastifyInstance, checked: Checked): void => {
  const { bus, keys } = checked;
  const ping = async (service: string) => void (await bus.call(pingOf(service), {}, { timeoutMs: pingTimeoutMs }));
  const checks: Record<string, () => Promise<void>> = {
    bus: () => bus.ping(),
    keys,
    ...Object.fromEntries(services.map((service) => [service, () => ping(service)])),
  };
  const look = askedOnce(goodForMs, () => failedChecks(checks));
  let stopping = false;
  app.addHook('preClose', (done) => {
    stopping = true;
    done();
  });

  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
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
