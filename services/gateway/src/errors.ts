import { HttpError, sendError, toCardinalError } from '@cardinal/edge';
import type { Logger } from '@cardinal/runtime';
import type { FastifyInstance } from 'fastify';
import { causerOf, inRequest } from './observability.ts';
import type { RepeatedLines } from './repeated-lines.ts';

/** A 429 with its headers (api-decisions, "Requests, responses, errors"), to be tried again after some seconds. */
export const rateLimited = (message: string, { max, seconds }: { max: number; seconds: string }): HttpError =>
  new HttpError('rate_limited', message, {
    headers: {
      'retry-after': seconds,
      'ratelimit-limit': String(max),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    },
  });

/** Answers errors. Faults of ours are logged in full, and the client sees only their code. */
export const errors = (app: FastifyInstance, logger: Logger, repeated: RepeatedLines): void => {
  app.setErrorHandler((error, request, reply) => {
    const { code } = toCardinalError(error);
    if (code === 'internal') inRequest(request, () => logger.error({ err: error }, 'a request failed'));
    const log = (level: 'info' | 'warn', message: string, reason: string, fields: object) =>
      inRequest(request, () => repeated.log(`${reason} ${causerOf(request)}`, { level, fields, message }));
    if (code === 'unavailable' && error instanceof Error) {
      log('warn', 'a request could not be served', error.message, { err: error });
    }
    if (code === 'unauthenticated' && error instanceof Error && error.cause instanceof Error) {
      const { message: reason } = error.cause;
      log('info', 'a token was refused', reason, { reason });
    }
    // Fastify's own, after some refused bodies; whether the connection ends is decided for all of them in one place.
    reply.removeHeader('connection');
    return sendError(request, reply, error);
  });
};
