import { CardinalError, unavailable } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';
import { errors, type JWTVerifyGetKey, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { type ClaimRules, type Principal, principalOf } from './claims.ts';
import { keySet } from './key-set.ts';

export const unauthenticated = (message: string, cause?: unknown) =>
  new CardinalError('unauthenticated', message, undefined, { cause });

const invalidToken = (cause: unknown) => unauthenticated('The token is not valid or has expired', cause);

const times = z.object({ exp: z.number(), iat: z.number().optional() });

/** `typ` of a JWT (RFC 7519 5.1) and of an access token (RFC 9068 2.1), with or without `application/`. */
const typeOfToken = /^(?:application\/)?(?:at\+)?jwt$/i;

interface Expected extends ClaimRules {
  /** A token must be for one of them. */
  audiences: string[];
  clockToleranceS: number;
  /** Longest time that a token may be good for, s. */
  maxLifetimeS: number;
}

/** The key set could not be read: that says nothing about the token. */
const isKeySetFailure = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === 'ERR_JOSE_GENERIC';

const verifiedJwt = async (
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> => {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // A token that names no key fits several ones: any of them may have signed it.
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

/**
 * Verifies a token (api-decisions, "Tokens").
 * @throws CardinalError `unauthenticated` where it does not verify, `unavailable` where the keys are out of reach
 */
const verifyToken = async (token: string, keys: JWTVerifyGetKey, expected: Expected): Promise<Principal> => {
  const { issuer, audiences, clockToleranceS, maxLifetimeS } = expected;
  const { payload, protectedHeader } = await verifiedJwt(token, keys, {
    algorithms: ['EdDSA', 'ES256', 'RS256'],
    issuer,
    audience: audiences,
    clockTolerance: clockToleranceS,
    requiredClaims: ['iss', 'aud', 'exp'],
  }).catch((error: unknown) => {
    throw isKeySetFailure(error) ? unavailable('Tokens cannot be verified at the moment', error) : invalidToken(error);
  });
  if (protectedHeader.typ !== undefined && !typeOfToken.test(protectedHeader.typ)) {
    throw invalidToken(new Error('its type is neither JWT nor at+jwt'));
  }
  const parsed = times.safeParse(payload);
  if (!parsed.success) throw invalidToken(parsed.error);
  const { exp, iat } = parsed.data;
  const left = exp - clockToleranceS - Date.now() / 1000;
  if (Math.max(left, exp - (iat ?? exp)) > maxLifetimeS) throw unauthenticated('The token is good for too long');
  try {
    return { ...principalOf(payload, expected), expiresAt: (exp + clockToleranceS) * 1000 };
  } catch (error) {
    throw invalidToken(error);
  }
};

/** Tokens known at once. */
const cacheSize = 10_000;

export type Authenticator = ReturnType<typeof createAuthenticator>;

/**
 * Verifies each token once in a while. A withdrawn key ends its tokens within `KEYS_MAX_AGE_MS`: neither the keys nor
 * what they verified is kept for more than half of it, and what other keys verified is forgotten as soon as they changed.
 */
export const createAuthenticator = (config: Config, logger: Logger) => {
  const maxAgeMs = config.KEYS_MAX_AGE_MS / 2;
  const verified = new LRUCache<string, Principal>({ max: cacheSize, ttl: maxAgeMs });
  let generation = 0;
  const onChange = () => {
    generation += 1;
    verified.clear();
  };
  const keys = keySet(config, { maxAgeMs, logger, onChange });
  const expected = {
    issuer: config.TOKEN_ISSUER,
    audiences: config.TOKEN_AUDIENCE,
    workspaceClaim: config.TOKEN_WORKSPACE_CLAIM,
    userClaim: config.TOKEN_USER_CLAIM,
    scopeClaims: config.TOKEN_SCOPE_CLAIMS,
    scopeOf: config.TOKEN_SCOPE_MAP,
    ids: config.TOKEN_IDS,
    clockToleranceS: config.TOKEN_CLOCK_TOLERANCE_S,
    maxLifetimeS: config.TOKEN_MAX_LIFETIME_S,
  };

  return {
    /** The principal of a token that was verified a moment ago. */
    known(token: string): Principal | undefined {
      const principal = verified.get(token);
      return principal && principal.expiresAt > Date.now() ? principal : undefined;
    },
    /**
     * Verifies a token and remembers it for a while.
     * @throws CardinalError `unauthenticated`, or `unavailable` where the keys are out of reach
     */
    async verify(token: string): Promise<Principal> {
      let verifiedBy = generation;
      const keyOf: typeof keys.keyOf = async (header, input) => {
        const key = await keys.keyOf(header, input);
        verifiedBy = generation;
        return key;
      };
      const principal = await verifyToken(token, keyOf, expected);
      if (verifiedBy === generation) verified.set(token, principal);
      return principal;
    },
    /** Rejects while the keys of tokens cannot be had. */
    ready: () => keys.reachable(),
  };
};
