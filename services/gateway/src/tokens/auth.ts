import type { Bus } from '@cardinal/bus';
import { CardinalError, isApiKey, type Scope, unavailable } from '@cardinal/contracts';
import { HttpError } from '@cardinal/edge';
import { createFairQueue, type Logger, type Share } from '@cardinal/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decodeJwt, errors, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import { addressOf, inRequest } from '../observability.ts';
import type { AddressLimit } from '../rate-limit.ts';
import { createApiKeys } from './api-keys.ts';
import { bearerToken } from './bearer.ts';
import { type ClaimRules, type Principal, principalOf, rankOf } from './claims.ts';
import { keySet } from './key-set.ts';
import { createVisitors } from './visitors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set inside the API once the token is verified. */
    principal: Principal;
  }
}

export const unauthenticated = (message: string, cause?: unknown) =>
  new CardinalError('unauthenticated', message, undefined, { cause });

const invalidToken = (cause: unknown) => unauthenticated('The token is not valid or has expired', cause);

/** `typ` of a JWT (RFC 7519 5.1) and of an access token (RFC 9068 2.1), with or without `application/`. */
const typeOfToken = /^(?:application\/)?(?:at\+)?jwt$/i;

/** The key set could not be read; the token may be valid. */
const isKeySetFailure = (error: unknown) => !(error instanceof errors.JOSEError) || error instanceof errors.JWKSInvalid;

/**
 * Refuses a token that no key could make valid, before its key is looked up: of another issuer, or expired.
 * @param payload of the token, in base64url
 */
const checkUnverified = (payload: string | Uint8Array, config: TokenConfig): void => {
  const claims = decodeJwt(`.${payload}.`);
  const { TOKEN_ISSUER: issuer, TOKEN_CLOCK_TOLERANCE_S: tolerance } = config;
  if (claims.iss !== issuer) throw new errors.JWTClaimValidationFailed('unexpected "iss" claim value', claims, 'iss');
  if (Number(claims.exp) + tolerance <= Date.now() / 1000) throw new errors.JWTExpired('"exp" is past', claims, 'exp');
};

const verifiedJwt = async (token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions) => {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // A token without a key id fits several keys: any of them may have signed it.
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (mismatch) {
        if (!(mismatch instanceof errors.JWSSignatureVerificationFailed)) throw mismatch;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
};

/** A gateway whose users have tokens of an issuer. */
type TokenConfig = Config & ClaimRules;
const hasIssuer = (config: Config): config is TokenConfig => config.TOKEN_ISSUER !== undefined;

/** @throws CardinalError `unauthenticated` where it does not verify, `unavailable` where the keys are out of reach */
const verifyToken = async (token: string, keys: JWTVerifyGetKey, config: TokenConfig): Promise<Principal> => {
  const { TOKEN_CLOCK_TOLERANCE_S: clockTolerance, TOKEN_MAX_LIFETIME_S: maxLifetime } = config;
  const { payload, protectedHeader } = await verifiedJwt(token, keys, {
    algorithms: ['EdDSA', 'ES256', 'RS256'],
    issuer: config.TOKEN_ISSUER,
    audience: config.TOKEN_AUDIENCE,
    clockTolerance,
    requiredClaims: ['iss', 'aud', 'exp'],
  }).catch((error: unknown) => {
    if (error instanceof HttpError) throw error;
    throw isKeySetFailure(error) ? unavailable('Tokens cannot be verified at the moment', error) : invalidToken(error);
  });
  if (protectedHeader.typ !== undefined && !typeOfToken.test(protectedHeader.typ)) {
    throw invalidToken(new Error('its type is neither JWT nor at+jwt'));
  }
  const { exp = 0, iat = exp } = payload;
  const now = Date.now() / 1000;
  const left = exp - clockTolerance - now;
  if (payload.iat !== undefined && !(iat <= now + clockTolerance)) {
    throw invalidToken(new Error('it was issued in the future'));
  }
  if (Math.max(left, exp - iat) > maxLifetime) throw unauthenticated('The token is good for too long');
  try {
    return { ...principalOf(payload, config), expiresAt: (exp + clockTolerance) * 1000 };
  } catch (error) {
    throw invalidToken(error);
  }
};

export type Authenticator = ReturnType<typeof createAuthenticator>;

/**
 * Verifies one signature at a time, which uses one core at most. Addresses are served round robin, so a client that sends
 * forged tokens delays others by one verification.
 */
const verifyingSlots = () => {
  // The number of connections bounds it: each has one request under way.
  const one = { held: 1, waiting: Number.POSITIVE_INFINITY };
  const queue = createFairQueue({ user: one, workspace: one, all: one });
  return (address: string) =>
    new Promise<Share>((resolve) => void queue.take({ workspaceId: address, userId: address }, () => 1, resolve));
};

/**
 * Verifies tokens of the issuer, and caches the results. A withdrawn key of the issuer ends its tokens within `maxAgeMs` twice:
 * keys and results are kept for `maxAgeMs` at most, and a change of the keys clears the results.
 */
const tokenVerifier = (config: TokenConfig, { logger, maxAgeMs }: { logger: Logger; maxAgeMs: number }) => {
  const newMemory = () => new LRUCache<string, Principal>({ max: 10_000, ttl: maxAgeMs });
  let verified = newMemory();
  const onChange = () => {
    verified = newMemory();
  };
  const keys = keySet(config, { maxAgeMs, logger, onChange });
  const slotOf = verifyingSlots();
  return {
    known: (token: string): Principal | undefined => verified.get(token),
    async verify(token: string, address: string): Promise<Principal> {
      let memory = verified;
      let slot: Share | undefined;
      const keyOf: typeof keys.keyOf = async (header, input) => {
        checkUnverified(input.payload, config);
        try {
          return await keys.keyOf(header, input);
        } finally {
          memory = verified;
          slot = await slotOf(address);
        }
      };
      try {
        const principal = await verifyToken(token, keyOf, config);
        memory.set(token, principal);
        return principal;
      } finally {
        slot?.release();
      }
    },
    reachable: keys.reachable,
  };
};

/**
 * Verifies tokens and API keys. Each is gone from memory `KEYS_MAX_AGE_MS` after it ended. A valid one is never refused for what
 * its address sent before: only requests without one are counted.
 */
export const createAuthenticator = (
  config: Config,
  { bus, logger, addresses }: { bus: Pick<Bus, 'call' | 'onSignal'>; logger: Logger; addresses: AddressLimit },
) => {
  const maxAgeMs = config.KEYS_MAX_AGE_MS / 2;
  const tokens = hasIssuer(config) ? tokenVerifier(config, { logger, maxAgeMs }) : undefined;
  const apiKeys = createApiKeys(bus, { maxAgeMs, logger });
  const visitors = createVisitors(bus, logger);

  const refuse = async (request: FastifyRequest, error: Partial<CardinalError>): Promise<never> => {
    if (error.code === 'unauthenticated') await addresses.check(request);
    throw error;
  };
  /** From memory, or else the work of verifying it. @throws CardinalError `unauthenticated` */
  const look = (credential: string, request: FastifyRequest): Principal | (() => Promise<Principal>) => {
    if (isApiKey(credential)) return apiKeys.known(credential);
    if (!tokens) throw unauthenticated('Tokens are not accepted here; use an API key');
    const known = tokens.known(credential);
    return known && known.expiresAt > Date.now() ? known : () => tokens.verify(credential, addressOf(request));
  };

  const verified = async (verifying: Promise<Principal>, request: FastifyRequest): Promise<Principal> => {
    const principal = await verifying.catch((error) => refuse(request, error));
    visitors.note(principal);
    return principal;
  };

  return {
    /**
     * The caller of a request by its token or API key (CONTRACT 2.1): nearly always from memory.
     * @throws CardinalError `unauthenticated`, or `rate_limited` for an address that has sent too much without a valid
     * credential; `unavailable` where it cannot be verified now
     */
    principalOf(request: FastifyRequest): Principal | Promise<Principal> {
      const credential = bearerToken(request.raw);
      if (credential === undefined) return refuse(request, unauthenticated('A bearer token is required'));
      try {
        const found = look(credential, request);
        if (typeof found === 'function') return verified(found(), request);
        visitors.note(found);
        return found;
      } catch (error) {
        return refuse(request, error as CardinalError);
      }
    },
    /** Rejects while the keys of tokens cannot be read. */
    ready: tokens?.reachable ?? (async () => {}),
    /** Notes the last use of API keys, and who came. */
    stop: async (): Promise<void> => {
      await Promise.all([apiKeys.stop(), visitors.stop()]);
    },
  };
};

/** How long before the end of an API key every answer names it, ms. */
const noticeMs = 14 * 86_400_000;

/** When the API key of a caller ends, in its last 14 days; otherwise undefined. */
export const endOfKey = ({ apiKey }: Pick<Principal, 'apiKey'>): string | undefined => {
  const end = apiKey?.expires_at;
  return end && Date.parse(end) - Date.now() < noticeMs ? end : undefined;
};

/** Names the end of an API key in its last 14 days (CONTRACT 13.3). */
const noticeOfEnd = (api: FastifyInstance): void => {
  api.addHook('onSend', ({ principal }, reply, payload, done) => {
    const end = principal && endOfKey(principal);
    if (end) reply.header('cardinal-key-expires', end);
    done(null, payload);
  });
};

/** Sets `request.principal` from the bearer token. */
export const auth = (api: FastifyInstance, authenticator: Authenticator): void => {
  api.decorateRequest('principal');
  noticeOfEnd(api);
  api.addHook('onRequest', (request, _reply, done) => {
    // In the request's context: a verification that waits for those of others ends with the request.
    const principal = inRequest(request, () => authenticator.principalOf(request));
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
export const requireScope = (scope: Scope) => {
  const rank = rankOf(scope);
  return ({ principal }: FastifyRequest): void => {
    if (principal.rank < rank) throw new CardinalError('insufficient_scope', `The token lacks the scope ${scope}`);
  };
};
