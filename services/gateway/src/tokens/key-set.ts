import { createRemoteJWKSet } from 'jose';
import type { Config } from '../config.ts';
import { fileKeySet, type KeySet } from './file-key-set.ts';

/** For an unknown key a remote set is fetched again at most once in this time, ms. */
const remoteCooldownMs = 5_000;

const remoteKeySet = (url: string, maxAgeMs: number, onChange: () => void): KeySet => {
  const remote = createRemoteJWKSet(new URL(url), {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: Math.min(remoteCooldownMs, maxAgeMs),
  });
  let known: string | undefined;
  return {
    keyOf: (header, token) =>
      remote(header, token).finally(() => {
        const keys = JSON.stringify(remote.jwks());
        if (keys !== known) onChange();
        known = keys;
      }),
    reachable: async () => {
      if (!remote.fresh) await remote.reload();
    },
  };
};

/**
 * The keys at a URL or in a file. Both follow a rotation without a restart: a file at the next look, a URL when its keys
 * are older than `maxAgeMs`, or for an unknown key.
 * @param onChange called when other keys than before were read
 */
export const keySet = (
  config: Pick<Config, 'JWKS_URL' | 'JWKS_FILE'>,
  maxAgeMs: number,
  onChange: () => void,
): KeySet => {
  if (config.JWKS_FILE !== undefined) return fileKeySet(config.JWKS_FILE, onChange);
  if (config.JWKS_URL === undefined) throw new Error('neither JWKS_URL nor JWKS_FILE is set');
  return remoteKeySet(config.JWKS_URL, maxAgeMs, onChange);
};
