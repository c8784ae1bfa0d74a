import { readFile } from 'node:fs/promises';
import type { Logger } from '@cardinal/runtime';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Config } from '../config.ts';
import { publishedKeys } from './published-keys.ts';

/** For an unknown key the keys are read again at most once in this time, ms. */
const cooldownMs = 5_000;
/** How long after a failure an issuer is not asked again, ms, and how long it may take to answer. */
const retryMs = 1_000;
const timeoutMs = 5_000;

/**
 * The public keys that tokens are verified with: in a file, at a URL, or where the issuer says. All follow a rotation
 * without a restart, of which `onChange` tells: a file as a new token comes, others at half of `maxAgeMs`, so that an
 * issuer may be away for the other half and nobody notices, or for an unknown key. An issuer that is away is asked once
 * in a while, however many tokens come, and the log tells why, once a reason.
 */
export const keySet = (
  config: Pick<Config, 'JWKS_URL' | 'JWKS_FILE' | 'TOKEN_ISSUER'>,
  { maxAgeMs, logger, onChange }: { maxAgeMs: number; logger: Logger; onChange: () => void },
) => {
  const { JWKS_FILE: file } = config;
  const read = file === undefined ? publishedKeys(config) : async () => JSON.parse(await readFile(file, 'utf8'));
  let keys = createLocalJWKSet({ keys: [] });
  let known = '';
  let readAt = Number.NEGATIVE_INFINITY;
  let failure: { error: Error; until: number } | undefined;
  let reading: Promise<void> | undefined;

  const refresh = async () => {
    if (failure && Date.now() < failure.until) throw failure.error;
    try {
      const published: JSONWebKeySet = await read(AbortSignal.timeout(timeoutMs));
      const text = JSON.stringify(published);
      if (text !== known) {
        keys = createLocalJWKSet(published);
        known = text;
        onChange();
      }
      readAt = Date.now();
      failure = undefined;
    } catch (thrown) {
      const error = thrown as Error;
      if (failure?.error.message !== error.message) logger.warn(`the keys of tokens cannot be had: ${error.message}`);
      failure = { error, until: Date.now() + (file === undefined ? Math.min(retryMs, maxAgeMs / 4) : 0) };
      // A file that is gone or half written leaves the former keys.
      if (file === undefined || known === '') throw error;
    }
  };
  const reload = () => {
    reading ??= refresh().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const age = () => Date.now() - readAt;
  const reachable = async () => {
    if (file !== undefined || age() >= maxAgeMs) await reload();
    else if (age() >= maxAgeMs / 2) reload().catch(() => undefined);
  };
  const keyOf: JWTVerifyGetKey = async (header, token) => {
    await reachable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || age() < Math.min(cooldownMs, maxAgeMs)) throw error;
      await reload();
      return keys(header, token);
    }
  };
  /** `reachable` rejects while no keys can be had. */
  return { keyOf, reachable };
};
