import { cors as edgeCors } from '@cardinal/edge';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The headers of answers that a page may not read without permission (CONTRACT 1.8).
 */
const exposedHeaders = [
  'ETag',
  'Location',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Idempotent-Replayed',
  'Cardinal-Key-Expires',
  'X-Request-Id',
];

/**
 * Lets pages of the configured origins use the API. It runs before the check of tokens: a preflight carries none, and a
 * page must be able to read a 401.
 */
export const cors = async (api: FastifyInstance, { CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>): Promise<void> => {
  if (CORS_ORIGINS.length === 0) return;
  await edgeCors(api, { origins: new Set(CORS_ORIGINS), exposedHeaders, methodsOf: () => methods, maxAge: 600 });
};
