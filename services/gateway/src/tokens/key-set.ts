import { readFile, stat } from 'node:fs/promises';
import type { Logger } from '@cardinal/runtime';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Config } from '../config.ts';
import { publishedKeys } from './published-keys.ts';

/** The public keys that tokens are verified with. */
export interface KeySet {
  keyOf: JWTVerifyGetKey;
  /** Rejects while no keys can be had. */
  reachable(): Promise<void>;
}

/**
 * The keys in a JWKS file, read again when its state has changed as a new token comes, so a rotation counts at once. A
 * file that is gone or half written leaves the former keys.
 */
const fileKeySet = (path: string, onChange: () => void): KeySet => {
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

  const reachable = async () => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    await refreshing.catch((error: unknown) => {
      if (!keys) throw error;
    });
  };

  return {
    keyOf: async (header, token) => {
      await reachable();
      return (keys as JWTVerifyGetKey)(header, token);
    },
    reachable,
  };
};

/** For an unknown key a remote set is fetched again at most once in this time, ms. */
const remoteCooldownMs = 5_000;
/** How long after a failure keys are not asked for again, ms. */
const retryMs = 1_000;

type Read = ReturnType<typeof publishedKeys>;

/** An issuer that is away is asked once in a while, however many tokens come, and the log tells why, once a reason. */
const patiently = (read: Read, pauseMs: number, logger: Logger): Read => {
  let failure: { error: Error; until: number } | undefined;
  return async (signal) => {
    if (failure && Date.now() < failure.until) throw failure.error;
    try {
      const keys = await read(signal);
      failure = undefined;
      return keys;
    } catch (error) {
      const { message } = error as Error;
      if (failure?.error.message !== message) logger.warn(`the keys of tokens cannot be had: ${message}`);
      failure = { error: error as Error, until: Date.now() + pauseMs };
      throw error;
    }
  };
};

/** Keys are asked for again at half their age, so that an issuer may be away for the other half and nobody notices. */
const remoteKeySet = (read: Read, maxAgeMs: number, onChange: () => void): KeySet => {
  let dueAt = 0;
  const remote = createRemoteJWKSet(new URL('keys:'), {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: Math.min(remoteCooldownMs, maxAgeMs),
    [customFetch]: async (_url, { signal }) => {
      const keys = await read(signal);
      dueAt = Date.now() + maxAgeMs / 2;
      return Response.json(keys);
    },
  });
  let known: string | undefined;
  const notice = () => {
    const keys = JSON.stringify(remote.jwks());
    if (keys !== known) onChange();
    known = keys;
  };
  const refreshEarly = () => {
    if (!remote.fresh || remote.reloading || Date.now() < dueAt) return;
    remote.reload().then(notice, () => undefined);
  };
  return {
    keyOf: (header, token) => {
      refreshEarly();
      return remote(header, token).finally(notice);
    },
    reachable: async () => {
      refreshEarly();
      if (!remote.fresh) await remote.reload();
    },
  };
};

/**
 * The keys in a file, at a URL, or where the issuer says. All follow a rotation without a restart, of which `onChange`
 * tells: a file at the next look, others at half of `maxAgeMs`, or for an unknown key.
 */
export const keySet = (
  config: Pick<Config, 'JWKS_URL' | 'JWKS_FILE' | 'TOKEN_ISSUER'>,
  { maxAgeMs, logger, onChange }: { maxAgeMs: number; logger: Logger; onChange: () => void },
): KeySet => {
  if (config.JWKS_FILE !== undefined) return fileKeySet(config.JWKS_FILE, onChange);
  return remoteKeySet(patiently(publishedKeys(config), Math.min(retryMs, maxAgeMs / 4), logger), maxAgeMs, onChange);
};
