import { readFile, stat } from 'node:fs/promises';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

/** The public keys that tokens are verified with. */
export interface KeySet {
  keyOf: JWTVerifyGetKey;
  /** Rejects while no keys can be had. */
  reachable(): Promise<void>;
}

/**
 * The keys in a JWKS file. Each token that is not known yet looks at the file's state first, and reads the file again
 * only when that changed, so a rotation counts at once. A file that is gone or half written leaves the former keys.
 * @param onChange called when other keys than before were read
 * @throws from the key set: the file's error while no keys were ever read
 */
export const fileKeySet = (path: string, onChange: () => void): KeySet => {
  let keys: JWTVerifyGetKey | undefined;
  let readState = '';
  let refreshing: Promise<void> | undefined;

  const refresh = async () => {
    const { mtimeMs, size, ino } = await stat(path);
    const state = `${mtimeMs} ${size} ${ino}`;
    if (state === readState) return;
    keys = createLocalJWKSet(JSON.parse(await readFile(path, 'utf8')) as JSONWebKeySet);
    readState = state;
    onChange();
  };

  const current = async (): Promise<JWTVerifyGetKey> => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    await refreshing.catch((error: unknown) => {
      if (!keys) throw error;
    });
    if (!keys) throw new Error('no keys');
    return keys;
  };

  return {
    keyOf: async (header, token) => (await current())(header, token),
    reachable: async () => void (await current()),
  };
};
