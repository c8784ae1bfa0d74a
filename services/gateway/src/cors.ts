import corsPlugin from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';

/** What answers have beside what a page may read anyway. */
const exposedHeaders = [
  'ETag',
  'Location',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Idempotent-Replayed',
  'X-Request-Id',
];

/**
 * Lets pages of the configured origins use the API (api-decisions, "Requests, responses, errors"). Stands before the
 * tokens: a preflight carries none, and a page must be able to read a 401.
 */
export const cors = async (api: FastifyInstance, { CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>): Promise<void> => {
  if (CORS_ORIGINS.length === 0) return;
  const allowed = new Set(CORS_ORIGINS);
  await api.register(corsPlugin, {
    delegator: ({ headers }, callback) =>
      callback(null, {
        origin: headers.origin !== undefined && allowed.has(headers.origin) ? headers.origin : false,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders,
        // Seconds for which a browser need not ask again.
        maxAge: 600,
        preflight: headers['access-control-request-method'] !== undefined,
      }),
  });
};
