import { CardinalError, notFound } from '@cardinal/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const patternOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

/**
 * Answers unknown paths with 404 and unknown methods of known ones with 405 and `Allow`. Inside the API this must stand
 * after authentication, so it is a hook there (the result puts it in its place) and runs before any body is read.
 */
export const unknownRoutes = (app: FastifyInstance) => {
  const routes: { method: string; pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, pattern: patternOf(url) });
  });

  const errorFor = (request: FastifyRequest, reply: FastifyReply): CardinalError => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (methods.size === 0 || methods.has(request.method)) return notFound('Path');
    reply.header('allow', [...methods].sort().join(', '));
    return new CardinalError('method_not_allowed', `${request.method} is not allowed here`);
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    throw errorFor(request, reply);
  };
  app.setNotFoundHandler(refuse);

  return (api: FastifyInstance): void => {
    api.addHook('onRequest', (request, reply, done) => {
      if (request.is404) done(errorFor(request, reply));
      else done();
    });
    // Its own handler makes unknown paths run the API's hooks.
    api.setNotFoundHandler(refuse);
  };
};
