import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isInApi } from '../http/prefix.ts';
import { authenticate, type Guards } from './auth.ts';
import { sendError } from './errors.ts';
import { hasEmptyBody } from './lingering.ts';

/**
 * Answers URLs that cannot be decoded. They reach no hook, so the request id, a body that nobody reads and, inside the API, the
 * token are seen to here.
 */
export const frameworkErrors =
  (guards: Guards) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('x-request-id', request.id);
    if (!hasEmptyBody(request.raw)) reply.header('connection', 'close');
    const checked = isInApi(request.url) ? authenticate(request, guards) : Promise.resolve();
    checked.then(
      () => sendError(request, reply, error),
      (refusal: unknown) => sendError(request, reply, refusal),
    );
  };
