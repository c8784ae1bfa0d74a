import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Authenticator } from '../tokens/authenticator.ts';
import { bearerToken } from '../tokens/bearer.ts';
import type { Principal } from '../tokens/principal.ts';
import { unauthenticated } from '../tokens/verify.ts';
import '../request.ts';

/** Answers at once for a token that was verified before, which is nearly always. */
const principalOf = (request: IncomingMessage, authenticator: Authenticator): Principal | Promise<Principal> => {
  const token = bearerToken(request);
  if (token === undefined) throw unauthenticated('A bearer token is required');
  return authenticator.known(token) ?? authenticator.verify(token);
};

/** @throws CardinalError `unauthenticated`, or `unavailable` where tokens cannot be verified at the moment */
export const authenticate = async (request: IncomingMessage, authenticator: Authenticator): Promise<Principal> =>
  principalOf(request, authenticator);

/** Sets `request.principal` from the bearer token. */
export const auth = (api: FastifyInstance, authenticator: Authenticator): void => {
  api.decorateRequest('principal');
  api.addHook('onRequest', (request, _reply, done) => {
    const principal = principalOf(request.raw, authenticator);
    if (!(principal instanceof Promise)) {
      request.principal = principal;
      done();
      return;
    }
    principal.then((verified) => {
      request.principal = verified;
      done();
    }, done);
  });
};
