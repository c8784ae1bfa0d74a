import { readFile } from 'node:fs/promises';
import { HttpError } from '@cardinal/edge';
import type { Logger } from '@cardinal/runtime';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import type { Config } from '../config.ts';
import { publishedKeys } from './published-keys.ts';

/** The least time between two reads for unknown keys, ms. */
const cooldownMs = 5_000;
/** After a read that failed, so much passes before the next one begins, ms. */
const pauseMs = 200;

const unknownYet = (waitMs: number) =>
  new HttpError('unavailable', 'The key of the token is not known yet', {
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  });

/**
 * The public keys that verify tokens: in a file, at a URL, or where the issuer says. All follow a rotation without a restart,
 * and `onChange` is called when they changed. A file is read for every new token; others are read after half of `maxAgeMs`, and
 * for an unknown key, so an issuer may be unreachable for the other half without effect. A key counts as unknown after a read
 * that began later than its token came. Reads for unknown keys are five seconds apart, however many are made up; between two of
 * them such a token is 503. Failures are logged, once for each reason.
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
  const cooldown = Math.min(cooldownMs, maxAgeMs);
  let begunAt = Number.NEGATIVE_INFINITY;
  /** Numbers of the last read that began, and of the last one that brought keys. */
  let [begun, done] = [0, 0];
  let failure: { error: unknown; at: number } | undefined;
  // `read` gets the keys; jose caches them, finds that of a token, and shares one read among all that wait.
  const keys = createRemoteJWKSet(new URL('https://keys.invalid'), {
    cacheMaxAge: file === undefined ? maxAgeMs : Number.POSITIVE_INFINITY,
    // `look` reads for unknown keys.
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: async (_url, { signal }) => {
      begun += 1;
      begunAt = Date.now();
      const number = begun;
      try {
        const keysOfIssuer = await read(signal as AbortSignal);
        published = JSON.stringify(keysOfIssuer);
        readAt = Date.now();
        done = number;
        failure = undefined;
        logged = '';
        return Response.json(keysOfIssuer);
      } catch (error) {
        const { message } = error as Error;
        if (message !== logged) logger.warn(`the keys of tokens cannot be had: ${message}`);
        logged = message;
        failure = { error, at: Date.now() };
        throw error;
      }
    },
  });
  /** What was read counts from here on. */
  const applied = () => {
    if (published !== known) onChange();
    known = published;
  };
  const reload = async () => {
    if (file === undefined && failure && Date.now() - failure.at < pauseMs) throw failure.error;
    await keys.reload().finally(applied);
  };
  /** Rejects while no keys can be read. */
  const reachable = async () => {
    // The former keys stay where the file is gone or half written.
    if (file !== undefined) await reload().catch((error) => known || Promise.reject(error));
    else if (!keys.fresh) await reload();
    else if (Date.now() - readAt >= maxAgeMs / 2) reload().catch(() => undefined);
  };
  /**
   * Reads for an unknown key, unless a read has begun since `before`.
   * @throws HttpError `unavailable` while that has to wait
   */
  const look = async (before: number) => {
    const waitMs = begunAt + cooldown - Date.now();
    if (done <= before && file === undefined && waitMs > 0) throw unknownYet(waitMs);
    // One under way that began before is shared, and says nothing of this key.
    while (done <= before) await reload();
  };
  const keyOf: JWTVerifyGetKey = async (header, token) => {
    const before = begun;
    await reachable();
    const find = () => keys(header, token).finally(applied);
    return find().catch(async (error) => {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await look(before);
      return find();
    });
  };
  return { keyOf, reachable };
};
