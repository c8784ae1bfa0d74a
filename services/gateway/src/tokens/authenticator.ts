import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import { keySet } from './key-set.ts';
import type { Principal } from './principal.ts';
import { verifyToken } from './verify.ts';

/** Tokens known at once. */
const cacheSize = 10_000;

export interface Authenticator {
  /** The principal of a token that was verified before and has not expired. */
  known(token: string): Principal | undefined;
  /**
   * Verifies a token and remembers it until it expires.
   * @throws CardinalError `unauthenticated`, or `unavailable` where the keys are out of reach
   */
  verify(token: string): Promise<Principal>;
}

/** Verifies each token once. A change of the key file forgets them all, so that a withdrawn key ends its tokens. */
export const createAuthenticator = (config: Config): Authenticator => {
  const verified = new LRUCache<string, Principal>({ max: cacheSize });
  const keys = keySet(config, () => verified.clear());
  const expected = {
    issuer: config.TOKEN_ISSUER,
    audience: config.TOKEN_AUDIENCE,
    clockToleranceS: config.TOKEN_CLOCK_TOLERANCE_S,
  };

  return {
    known(token) {
      const principal = verified.get(token);
      return principal && principal.expiresAt > Date.now() ? principal : undefined;
    },
    async verify(token) {
      const principal = await verifyToken(token, keys, expected);
      verified.set(token, principal);
      return principal;
    },
  };
};
