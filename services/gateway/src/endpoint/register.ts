import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { acceptBody, refuseBody } from '../plugins/bodies.ts';
import { requireIdempotencyKey } from '../plugins/idempotency.ts';
import { parseParameters } from '../plugins/parameters.ts';
import { boundHeaders, readIfMatch, readIfNoneMatch, requireIfMatch } from '../plugins/preconditions.ts';
import { inRequest } from '../plugins/request-context.ts';
import { requireScope } from '../plugins/scope.ts';
import type { BusCaller, Endpoint } from './endpoint.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

/** The checks of an endpoint in the order in which they count (api-decisions, "Order of checks"). */
const checksOf = ({ scope, requires, params, query, body, reply }: Endpoint): onRequestHookHandler[] => [
  requireScope(scope),
  ...(requires.includes('If-Match') ? [requireIfMatch, boundHeaders, readIfMatch] : [boundHeaders]),
  ...(reply.isConditional ? [readIfNoneMatch] : []),
  ...(requires.includes('Idempotency-Key') ? [requireIdempotencyKey] : []),
  parseParameters({ params, query }),
  body ? acceptBody : refuseBody,
];

/** Puts an endpoint on the server. */
export const registerEndpoint = (api: FastifyInstance, endpoint: Endpoint, bus: BusCaller): void => {
  const { method, path, operationId, tag, summary, description, params, query, body, reply: kind } = endpoint;
  api.route({
    method,
    url: path,
    config: { endpoint },
    schema: {
      operationId,
      tags: [tag],
      summary,
      params,
      querystring: query,
      ...(description ? { description } : {}),
      ...(body ? { body } : {}),
      ...(kind.schema ? { response: { [kind.status]: kind.schema } } : {}),
    },
    onRequest: checksOf(endpoint),
    handler: (request, reply) =>
      inRequest(request, async () => kind.send(request, reply, await endpoint.run(request, bus))),
  });
};
