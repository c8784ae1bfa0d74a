import type { Logger } from '@cardinal/runtime';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import { keySet } from './key-set.ts';
import type { Principal } from './principal.ts';
import { verifyToken } from './verify.ts';

/** Tokens known at once. */
const cacheSize = 10_000;

export interface Authenticator {
  /** The principal of a token that was verified a moment ago. */
  known(token: string): Principal | undefined;
  /**
   * Verifies a token and remembers it for a while.
   * @throws CardinalError `unauthenticated`, or `unavailable` where the keys are out of reach
   */
  verify(token: string): Promise<Principal>;
  /** Rejects while the keys of tokens cannot be had. */
  ready(): Promise<void>;
}

/**
 * Verifies each token once in a while. A withdrawn key ends its tokens within `KEYS_MAX_AGE_MS`: neither the keys nor
 * what they verified is kept for more than half of it, and what other keys verified is forgotten as soon as they changed.
 */
export const createAuthenticator = (config: Config, logger: Logger): Authenticator => {
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
    known(token) {
      const principal = verified.get(token);
      return principal && principal.expiresAt > Date.now() ? principal : undefined;
    },
    async verify(token) {
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
    ready: () => keys.reachable(),
  };
};
