import { CardinalError, notFound, type Operation } from '@cardinal/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './paths.ts';
import type { AddressLimit } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a route that only keeps a fixed word from being read as an id. */
    isReserved?: true;
  }
}

const isParam = (segment: string | undefined): boolean => segment?.startsWith(':') ?? false;

/** Orders paths as the router does: a fixed word before a parameter. */
const byFixedWords = (one: string, another: string): number => {
  const others = another.split('/');
  for (const [at, segment] of one.split('/').entries()) {
    if (isParam(segment) !== isParam(others[at])) return isParam(segment) ? 1 : -1;
  }
  return 0;
};

/** Whether a path has a fixed word where another path that fits the same requests has a parameter. */
const hasFixedWordOf = (one: string, another: string): boolean => {
  const [segments, others] = [one.split('/'), another.split('/')];
  return (
    segments.length === others.length &&
    segments.every((segment, at) => segment === others[at] || isParam(segment) || isParam(others[at])) &&
    byFixedWords(one, another) < 0
  );
};

/** The paths of operations, and their beginnings up to a fixed word: `/cards/by-identifier`. */
const placesOf = (paths: readonly string[]): Set<string> =>
  new Set(
    paths.flatMap((path) => {
      const segments = path.split('/');
      return segments.flatMap((segment, at) =>
        at === segments.length - 1 || (at > 0 && !isParam(segment)) ? segments.slice(0, at + 1).join('/') : [],
      );
    }),
  );

/**
 * Keeps a fixed word of a path from being read as an id: `GET /cards/bulk` is not `GET /cards/:card_id`.
 * `unknownRoutes` answers it, as it answers paths without a route.
 */
export const reserveWords = (api: FastifyInstance, declared: readonly Operation[]): void => {
  const operations = declared.map(({ http }) => http);
  for (const place of placesOf(operations.map(({ path }) => path))) {
    const own = new Set(operations.filter(({ path }) => path === place).map(({ method }) => method));
    const others = operations.filter(({ path, method }) => !own.has(method) && hasFixedWordOf(place, path));
    for (const method of new Set(others.map((one) => one.method))) {
      const refused = () => {
        throw notFound('Path');
      };
      api.route({ method, url: place, config: { isReserved: true }, handler: refused });
    }
  }
};

const patternOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

/**
 * Answers 404 to unknown paths, 405 with `Allow` to unknown methods of known paths, and 400 to paths that `routedUrl` replaced.
 * Inside the API it must run after authentication, so it is a hook there (the result installs it), which runs before any
 * body is read.
 */
export const unknownRoutes = (app: FastifyInstance, addresses: AddressLimit) => {
  const known = new Map<string, { url: string; pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ method, url, config }) => {
    const one = known.get(url) ?? { url, pattern: patternOf(url), methods: new Set() };
    known.set(url, one);
    if (!config?.isReserved) for (const each of [method].flat()) one.methods.add(each);
  });

  const errorFor = (request: FastifyRequest, reply: FastifyReply): CardinalError => {
    if (request.url !== request.originalUrl) {
      return new CardinalError('invalid_request', 'The path must be UTF-8 text, percent-encoded');
    }
    const path = pathOf(request.url);
    const [found] = [...known.values()]
      .filter(({ pattern }) => pattern.test(path))
      .sort((one, another) => byFixedWords(one.url, another.url));
    if (!found || found.methods.size === 0 || found.methods.has(request.method)) return notFound('Path');
    reply.header('allow', [...found.methods].sort().join(', '));
    return new CardinalError('method_not_allowed', `${request.method} is not allowed here`);
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    throw errorFor(request, reply);
  };
  app.setNotFoundHandler(async (request, reply) => {
    await addresses.check(request);
    refuse(request, reply);
  });

  return (api: FastifyInstance): void => {
    api.addHook('onRequest', (request, reply, done) => {
      const isUnknown = request.is404 || request.routeOptions.config.isReserved;
      done(isUnknown ? errorFor(request, reply) : undefined);
    });
    // A not-found handler of the scope makes unknown paths run the API's hooks.
    api.setNotFoundHandler(refuse);
  };
};
