import type { OpenSpan, RequestContext } from '@cardinal/runtime';
import type { KnownVersions } from './http/if-none-match.ts';
import type { Principal } from './tokens/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request that reaches a route or a not-found handler. */
    requestContext: RequestContext;
    /** The request's server span; undefined while telemetry is off. */
    span: OpenSpan | undefined;
    /** Set inside the API once the token is verified. */
    principal: Principal;
    /** The versions of `If-Match`, where the endpoint requires it. */
    ifMatch: number[];
    /** What `If-None-Match` says, where the endpoint answers it. */
    ifNoneMatch: KnownVersions | undefined;
    /** The checked `Idempotency-Key`, where the endpoint requires it. */
    idempotencyKey: string | undefined;
    /** The JSON value of the body as it was sent; undefined where there was none. */
    sentBody: unknown;
  }
}
