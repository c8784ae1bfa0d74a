import { CardinalError } from '@cardinal/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../tokens/authenticator.ts';
import { bearerToken } from '../tokens/bearer.ts';
import type { Principal } from '../tokens/principal.ts';
import { unauthenticated } from '../tokens/verify.ts';
import type { StrangerLimit } from './rate-limit.ts';
import '../request.ts';

/** Who tells whom a request's token stands for, and how often an address may be wrong. */
export interface Guards {
  authenticator: Authenticator;
  strangers: StrangerLimit;
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

/** Answers at once for a token that was verified before, which is nearly always. */
const principalOf = (request: FastifyRequest, { authenticator, strangers }: Guards): Principal | Promise<Principal> => {
  const token = bearerToken(request.raw);
  const known = token === undefined ? undefined : authenticator.known(token);
  if (known) return known;
  const forgive = strangers.count(request);
  if (token === undefined) throw unauthenticated('A bearer token is required');
  return verified(token, authenticator, forgive);
};

/**
 * @throws CardinalError `unauthenticated`, `rate_limited` for an address that was wrong too often, or `unavailable` where
 * tokens cannot be verified at the moment
 */
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
