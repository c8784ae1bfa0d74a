import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import type { Config } from '../config.ts';
import { fileKeySet } from './file-key-set.ts';

/** A remote set is fetched again this often, and for an unknown key at most once in the cooldown, ms. */
const remoteMaxAgeMs = 600_000;
const remoteCooldownMs = 5_000;

/**
 * The public keys that tokens are verified with, from a URL or a file. Both follow a rotation without a restart.
 * @param onChange called when the keys of a file changed
 */
export const keySet = (config: Pick<Config, 'JWKS_URL' | 'JWKS_FILE'>, onChange: () => void): JWTVerifyGetKey => {
  if (config.JWKS_FILE !== undefined) return fileKeySet(config.JWKS_FILE, onChange);
  if (config.JWKS_URL === undefined) throw new Error('neither JWKS_URL nor JWKS_FILE is set');
  return createRemoteJWKSet(new URL(config.JWKS_URL), {
    cacheMaxAge: remoteMaxAgeMs,
    cooldownDuration: remoteCooldownMs,
  });
};
