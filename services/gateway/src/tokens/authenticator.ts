import { CardinalError, unavailable } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';
import { errors, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import { type Principal, principalOf } from './claims.ts';
import { keySet } from './key-set.ts';

export const unauthenticated = (message: string, cause?: unknown) =>
  new CardinalError('unauthenticated', message, undefined, { cause });

const invalidToken = (cause: unknown) => unauthenticated('The token is not valid or has expired', cause);

/** `typ` of a JWT (RFC 7519 5.1) and of an access token (RFC 9068 2.1), with or without `application/`. */
const typeOfToken = /^(?:application\/)?(?:at\+)?jwt$/i;

/** The key set could not be read: that says nothing about the token. */
const isKeySetFailure = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === 'ERR_JOSE_GENERIC';

const verifiedJwt = async (token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions) => {
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

/** @throws CardinalError `unauthenticated` where it does not verify, `unavailable` where the keys are out of reach */
const verifyToken = async (token: string, keys: JWTVerifyGetKey, config: Config): Promise<Principal> => {
  const { TOKEN_CLOCK_TOLERANCE_S: clockTolerance, TOKEN_MAX_LIFETIME_S: maxLifetime } = config;
  const { payload, protectedHeader } = await verifiedJwt(token, keys, {
    algorithms: ['EdDSA', 'ES256', 'RS256'],
    issuer: config.TOKEN_ISSUER,
    audience: config.TOKEN_AUDIENCE,
    clockTolerance,
    requiredClaims: ['iss', 'aud', 'exp'],
  }).catch((error: unknown) => {
    throw isKeySetFailure(error) ? unavailable('Tokens cannot be verified at the moment', error) : invalidToken(error);
  });
  if (protectedHeader.typ !== undefined && !typeOfToken.test(protectedHeader.typ)) {
    throw invalidToken(new Error('its type is neither JWT nor at+jwt'));
  }
  const { exp = 0, iat = exp } = payload;
  const left = exp - clockTolerance - Date.now() / 1000;
  if (Math.max(left, exp - iat) > maxLifetime) throw unauthenticated('The token is good for too long');
  try {
    return { ...principalOf(payload, config), expiresAt: (exp + clockTolerance) * 1000 };
  } catch (error) {
    throw invalidToken(error);
  }
};

export type Authenticator = ReturnType<typeof createAuthenticator>;

/**
 * Verifies each token once in a while. A withdrawn key ends its tokens within `KEYS_MAX_AGE_MS`: neither the keys nor
 * what they verified is kept for more than half of it, and what other keys verified is forgotten as soon as they changed.
 */
export const createAuthenticator = (config: Config, logger: Logger) => {
  const maxAgeMs = config.KEYS_MAX_AGE_MS / 2;
  const verified = new LRUCache<string, Principal>({ max: 10_000, ttl: maxAgeMs });
  let generation = 0;
  const onChange = () => {
    generation += 1;
    verified.clear();
  };
  const keys = keySet(config, { maxAgeMs, logger, onChange });

  return {
    /** The principal of a token that was verified a moment ago. */
    known(token: string): Principal | undefined {
      const principal = verified.get(token);
      return principal && principal.expiresAt > Date.now() ? principal : undefined;
    },
    /**
     * Verifies a token and remembers it for a while (api-decisions, "Tokens"); throws `unauthenticated`, `unavailable`.
     */
    async verify(token: string): Promise<Principal> {
      let verifiedBy = generation;
      const keyOf: typeof keys.keyOf = async (header, input) => {
        const key = await keys.keyOf(header, input);
        verifiedBy = generation;
        return key;
      };
      const principal = await verifyToken(token, keyOf, config);
      if (verifiedBy === generation) verified.set(token, principal);
      return principal;
    },
    /** Rejects while the keys of tokens cannot be had. */
    ready: keys.reachable,
  };
};
