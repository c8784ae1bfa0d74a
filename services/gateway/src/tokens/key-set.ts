import { readFile } from 'node:fs/promises';
import type { Logger } from '@cardinal/runtime';
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import type { Config } from '../config.ts';
import { publishedKeys } from './published-keys.ts';

/** The least time between two reads for unknown keys, ms. */
const cooldownMs = 5_000;

/**
 * The public keys that verify tokens: in a file, at a URL, or where the issuer says. All follow a rotation without a restart,
 * and `onChange` is called when they changed. A file is read for every new token; others are read after half of `maxAgeMs`, and
 * for an unknown key, so an issuer may be unreachable for the other half without effect. Failures are logged, once for each
 * reason.
 */
export const keySet = (
  config: Pick<Config, 'JWKS_URL' | 'JWKS_FILE'> & { TOKEN_ISSUER: string },
  { maxAgeMs, logger, onChange }: { maxAgeMs: number; logger: Logger; onChange: () => void },
) => {
  const { JWKS_FILE: file } = config;
  const read = file === undefined ? publishedKeys(config) : async () => JSON.parse(await readFile(file, 'utf8'));
  let published = '';
  let known = '';
  let readAt = Number.NEGATIVE_INFINITY;
  let logged = '';
  // `read` gets the keys; jose caches them, finds that of a token, and shares one read among all that wait.
  const keys = createRemoteJWKSet(new URL('https://keys.invalid'), {
    cacheMaxAge: file === undefined ? maxAgeMs : Number.POSITIVE_INFINITY,
    cooldownDuration: Math.min(cooldownMs, maxAgeMs),
    [customFetch]: async (_url, { signal }) => {
      try {
        const keysOfIssuer = await read(signal as AbortSignal);
        published = JSON.stringify(keysOfIssuer);
        readAt = Date.now();
        logged = '';
        return Response.json(keysOfIssuer);
      } catch (error) {
        const { message } = error as Error;
        if (message !== logged) logger.warn(`the keys of tokens cannot be had: ${message}`);
        logged = message;
        throw error;
      }
    },
  });
  /** What was read counts from here on. */
  const applied = () => {
    if (published !== known) onChange();
    known = published;
  };
  const reload = () => keys.reload().finally(applied);
  /** Rejects while no keys can be read. */
  const reachable = async () => {
    // The former keys stay where the file is gone or half written.
    if (file !== undefined) await reload().catch((error) => known || Promise.reject(error));
    else if (!keys.fresh) await reload();
    else if (Date.now() - readAt >= maxAgeMs / 2) reload().catch(() => undefined);
  };
  const keyOf: JWTVerifyGetKey = async (header, token) => {
    await reachable();
    return keys(header, token).finally(applied);
  };
  return { keyOf, reachable };
};
