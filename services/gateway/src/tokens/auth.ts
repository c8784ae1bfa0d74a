import type { IncomingMessage } from 'node:http';
import { CardinalError, type Scope } from '@cardinal/contracts';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { checkHeaderLength } from '../preconditions.ts';
import type { strangerLimit } from '../rate-limit.ts';
import { type Authenticator, unauthenticated } from './authenticator.ts';
import { type Principal, rankOf } from './claims.ts';

const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Node keeps only the first of several `Authorization` headers; which one counts must not be left to chance. */
const hasSeveral = (rawHeaders: string[]): boolean => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 13 && name.toLowerCase() === 'authorization') count += 1;
  }
  return count > 1;
};

/** The bearer token of a request (RFC 6750 2.1), where there is one. @throws CardinalError where it is overlong */
export const bearerToken = (request: IncomingMessage): string | undefined => {
  const header = request.headers.authorization;
  if (header === undefined || hasSeveral(request.rawHeaders)) return undefined;
  checkHeaderLength('authorization', header);
  return bearer.exec(header)?.[1];
};

export interface Guards {
  authenticator: Authenticator;
  strangers: ReturnType<typeof strangerLimit>;
}

const verified = async (token: string, authenticator: Authenticator, forgive: () => void): Promise<Principal> => {
  try {
    const principal = await authenticator.verify(token);
    forgive();
    return principal;
  } catch (error) {
    if (!(error instanceof CardinalError && error.code === 'unauthenticated')) forgive();
    throw error;
  }
};

/** At once for a token that was verified before, which is nearly always. */
const principalOf = (request: FastifyRequest, { authenticator, strangers }: Guards): Principal | Promise<Principal> => {
  const token = bearerToken(request.raw);
  const known = token === undefined ? undefined : authenticator.known(token);
  if (known) return known;
  const forgive = strangers(request);
  if (token === undefined) throw unauthenticated('A bearer token is required');
  return verified(token, authenticator, forgive);
};

/** @throws CardinalError `unauthenticated`, `rate_limited` for an address, `unavailable` where no key can be had */
export const authenticate = async (request: FastifyRequest, guards: Guards): Promise<Principal> =>
  principalOf(request, guards);

/** Sets `request.principal` from the bearer token. */
export const auth = (api: FastifyInstance, guards: Guards): void => {
  api.decorateRequest('principal');
  api.addHook('onRequest', (request, _reply, done) => {
    const principal = principalOf(request, guards);
    if (!(principal instanceof Promise)) {
      request.principal = principal;
      done();
      return;
    }
    principal.then((one) => {
      request.principal = one;
      done();
    }, done);
  });
};

/** Refuses tokens without the scope, or one that includes it. */
export const requireScope = (scope: Scope): onRequestHookHandler => {
  const rank = rankOf(scope);
  return (request, _reply, done) => {
    if (request.principal.rank >= rank) done();
    else done(new CardinalError('insufficient_scope', `The token lacks the scope ${scope}`));
  };
};
