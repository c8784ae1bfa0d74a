import { CardinalError } from '@cardinal/contracts';
import rateLimitPlugin from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import '../request.ts';

/** Users counted at once. */
const cacheSize = 10_000;

/**
 * Limits requests per workspace and user of the token, in this process. The `RateLimit` headers come with 429 only:
 * on other answers they would tell apart what must look the same.
 */
export const rateLimit = async (api: FastifyInstance, config: Config): Promise<void> => {
  const onlyWhenExceeded = { 'ratelimit-limit': false, 'ratelimit-remaining': false, 'ratelimit-reset': false };
  await api.register(rateLimitPlugin, {
    global: false,
    max: config.RATE_LIMIT_MAX,
    timeWindow: config.RATE_LIMIT_WINDOW_MS,
    cache: cacheSize,
    enableDraftSpec: true,
    addHeadersOnExceeding: onlyWhenExceeded,
    keyGenerator: ({ principal: { caller } }) => `${caller.workspace_id}|${caller.user_id}`,
    errorResponseBuilder: () => new CardinalError('rate_limited', 'Too many requests with this token; try again later'),
  });
  api.addHook('onRequest', api.rateLimit());
};
