import type { Logger } from '@cardinal/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorResponse } from '../http/error-body.ts';
import { toCardinalError } from '../http/to-cardinal-error.ts';
import { inRequest } from './request-context.ts';

/** What a reply may have said of a resource before it came to nothing. */
const ofSuccess = ['etag', 'location', 'idempotent-replayed'];

/** Answers with an error of the catalogue. */
export const sendError = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
  for (const name of ofSuccess) reply.removeHeader(name);
  const { status, headers, body } = errorResponse(toCardinalError(error), request.id);
  return reply.code(status).headers(headers).send(body);
};

/** The one mapper from errors to HTTP. What is our fault is logged in full and told in nothing but its code. */
export const errors = (app: FastifyInstance, logger: Logger): void => {
  app.setErrorHandler((error, request, reply) => {
    const { code } = toCardinalError(error);
    if (code === 'internal') inRequest(request, () => logger.error({ err: error }, 'a request failed'));
    if (code === 'unavailable') inRequest(request, () => logger.warn({ err: error }, 'a request could not be served'));
    if (code === 'unauthenticated' && error instanceof Error && error.cause instanceof Error) {
      const { message: reason } = error.cause;
      inRequest(request, () => logger.info({ reason }, 'a token was refused'));
    }
    // Fastify's own, after some refused bodies; whether the connection ends is decided for all of them in one place.
    reply.removeHeader('connection');
    return sendError(request, reply, error);
  });
};
