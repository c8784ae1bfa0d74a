import { type Bus, pingOf } from '@cardinal/bus';
import { askedBy, release, unavailable } from '@cardinal/contracts';
import { errorResponse } from '@cardinal/edge';
import { askedOnce, failedChecks } from '@cardinal/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const services = askedBy('gateway');

/** Probes ask these all the time; they are no requests of users. */
export const healthRoutes = ['/healthz', '/readyz'];

/** How long a service may take to answer a probe, and how long the result is reused for other probes, ms. */
const pingTimeoutMs = 1_000;
const goodForMs = 1_000;

const loopback = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** Whether the request comes from this machine, and not through a proxy. */
const isLocal = ({ raw: { socket, headers } }: FastifyRequest): boolean => {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  return loopback.test(socket.remoteAddress ?? '') || socket.remoteAddress === socket.localAddress;
};

/**
 * `/healthz` answers while the process lives, with its release. `/readyz` answers 503 while the process stops, while the bus
 * or a service behind it does not answer, and while the keys of tokens cannot be read. `?exclude=card` skips one check;
 * `?verbose` lists the state of each, for requests from this machine only.
 */
export const health = (
  app: FastifyInstance,
  { bus, keys }: { bus: Pick<Bus, 'call' | 'ping'>; keys: () => Promise<void> },
): void => {
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

  app.get('/healthz', async () => ({ status: 'ok', version: release }));
  app.get('/readyz', async (request, reply) => {
    const { exclude = [], ...query } = request.query as { exclude?: string | string[] };
    const counts = (name: string) => ![exclude].flat().includes(name);
    const failed = stopping ? ['stopping'] : (await look()).filter(counts);
    const names = [...Object.keys(checks).filter(counts), ...(stopping ? ['stopping'] : [])];
    const states = names.map((name) => [name, failed.includes(name) ? 'failed' : 'ok']);
    const details = 'verbose' in query && isLocal(request) ? { checks: Object.fromEntries(states) } : {};
    if (failed.length === 0) return { status: 'ok', ...details };
    const { status, headers, body } = errorResponse(unavailable('Not ready'), request.id);
    reply.code(status).headers(headers);
    return { ...body, ...details };
  });
};
