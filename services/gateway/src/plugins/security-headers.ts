import type { FastifyInstance } from 'fastify';

/** The API answers JSON and nothing else; helmet's other headers guard pages, and stand at `/docs`. */
export const securityHeaders = (api: FastifyInstance): void => {
  api.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
};
