import { failedChecks } from '@cardinal/runtime';
import type { FastifyInstance } from 'fastify';

/**
 * `/healthz` (the process lives) and `/readyz` (the bus answers and we are not stopping, else 503 with what failed).
 * @param pingBus rejects where the broker does not answer
 */
export const health = (app: FastifyInstance, pingBus: () => Promise<void>): void => {
  let stopping = false;
  app.addHook('preClose', (done) => {
    stopping = true;
    done();
  });

  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const failed = stopping ? ['stopping'] : await failedChecks({ bus: pingBus });
    if (failed.length === 0) return { status: 'ok' };
    reply.code(503);
    return { failed };
  });
};
