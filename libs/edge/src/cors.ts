import corsPlugin from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The origins whose pages may read answers: all, or these. */
export type Origins = '*' | ReadonlySet<string>;

interface CorsOptions {
  origins: Origins;
  /** The headers of an answer that a page may read, besides those that every page may. */
  exposedHeaders: string[];
  /** The methods that a path takes; a preflight of one for which there are none is no preflight. */
  methodsOf: (request: FastifyRequest) => string[] | undefined;
  /** Seconds for which a browser need not ask again. */
  maxAge: number;
}

/** Lets pages of some origins use what is served (Fetch standard, "CORS protocol"). */
export const cors = async (
  app: FastifyInstance,
  { origins, exposedHeaders, methodsOf, maxAge }: CorsOptions,
): Promise<void> => {
  const allowed = (origin: string | undefined) => {
    if (origins === '*') return '*';
    return origin !== undefined && origins.has(origin) ? origin : false;
  };
  await app.register(corsPlugin, {
    delegator: (request: FastifyRequest, callback) => {
      const methods = methodsOf(request);
      callback(null, {
        origin: allowed(request.headers.origin),
        methods: methods ?? [],
        exposedHeaders,
        maxAge,
        preflight: methods !== undefined && request.headers['access-control-request-method'] !== undefined,
      });
    },
  });
};
