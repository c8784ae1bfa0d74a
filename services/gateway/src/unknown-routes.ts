import { CardinalError, notFound } from '@cardinal/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface Route {
  method: string;
  pattern: RegExp;
}

const patternOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

/** Collects the routes declared from now on; its result answers what matches none of them with 404 or 405. */
const collectRoutes = (app: FastifyInstance) => {
  const routes: Route[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, pattern: patternOf(url) });
  });

  /** @returns `method_not_allowed` with `Allow` where the path is known with other methods, else `not_found` */
  return (request: FastifyRequest, reply: FastifyReply): CardinalError => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (methods.size === 0 || methods.has(request.method)) return notFound('Path');
    reply.header('allow', [...methods].sort().join(', '));
    return new CardinalError('method_not_allowed', `${request.method} is not allowed here`);
  };
};

/**
 * Answers unknown paths and methods. Inside the API this must stand after authentication, so it is a hook there and
 * runs before any body is read; outside it is the handler itself.
 */
export const unknownRoutes = (app: FastifyInstance) => {
  const errorFor = collectRoutes(app);
  app.setNotFoundHandler((request, reply) => {
    throw errorFor(request, reply);
  });

  return (api: FastifyInstance): void => {
    api.addHook('onRequest', (request, reply, done) => {
      if (request.is404) done(errorFor(request, reply));
      else done();
    });
    // Its own handler makes unknown paths run the API's hooks.
    api.setNotFoundHandler((request, reply) => {
      throw errorFor(request, reply);
    });
  };
};
