import { CardinalError } from '@cardinal/contracts';
import { HttpError, sendError, toCardinalError } from '@cardinal/edge';
import type { Logger } from '@cardinal/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { causerOf, inRequest } from './observability.ts';
import { mismatchOf } from './preconditions.ts';
import type { RepeatedLines } from './repeated-lines.ts';
import { challengeOf } from './tokens/challenge.ts';

/** A 429 with its headers (CONTRACT 1.7). `Retry-After` is in seconds. */
export const rateLimited = (message: string, { max, seconds }: { max: number; seconds: string }): HttpError =>
  new HttpError('rate_limited', message, {
    headers: {
      'retry-after': seconds,
      'ratelimit-limit': String(max),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    },
  });

/** A 412 for tags that a proxy changed says so: the resource itself has not changed. */
const explained = ({ headers }: FastifyRequest, error: unknown): unknown => {
  if (!(error instanceof CardinalError && error.code === 'precondition_failed')) return error;
  const { current_version: current } = error.details as { current_version: number };
  const message = mismatchOf(headers['if-match'] ?? '', current);
  return message === undefined ? error : new CardinalError(error.code, message, error.details);
};

/** Answers errors. Internal faults are logged in full; the client gets only their code. */
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
    const challenge = challengeOf(request, code);
    if (challenge) reply.header('www-authenticate', challenge);
    // Fastify sets it after some refused bodies; one place decides for all of them whether the connection closes.
    reply.removeHeader('connection');
    return sendError(request, reply, explained(request, error));
  });
};
