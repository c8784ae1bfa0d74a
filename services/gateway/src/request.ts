import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpOperation } from '@cardinal/contracts';
import type { OpenSpan, RequestContext } from '@cardinal/runtime';
import type { Principal } from './tokens/claims.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route serves. */
    operation?: HttpOperation;
  }
  interface FastifyRequest {
    /** Set for every request that reaches a route or a not-found handler. */
    requestContext: RequestContext;
    /** The request's server span; undefined while telemetry is off. */
    span: OpenSpan | undefined;
    /** Set inside the API once the token is verified. */
    principal: Principal;
    /** The checked `Idempotency-Key`, where the endpoint requires it. */
    idempotencyKey: string | undefined;
    /** The JSON value of the body as it was sent; undefined where there was none. */
    sentBody: unknown;
  }
}

/** Where the API lives (api-decisions, "Requests, responses, errors"). */
export const apiPrefix = '/api/kanban/v1';

/** Whether a request target, query included, lies inside the API. */
export const isInApi = (url: string): boolean => {
  const path = url.split('?', 1)[0] ?? '';
  return path === apiPrefix || path.startsWith(`${apiPrefix}/`);
};

/** The caller's `X-Request-Id` where it is 1 to 128 of `[A-Za-z0-9._-]`, else a new one. */
export const requestIdOf = (request: IncomingMessage): string => {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(sent) ? sent : randomUUID();
};
