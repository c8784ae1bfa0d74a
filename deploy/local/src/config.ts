import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { KeysPlace } from '@cardinal/gateway/keys';
import { tokenAudience } from './keys.ts';

/** The root of the checkout. */
export const repository = join(import.meta.dirname, '../../..');

/** What the user chose through the environment; undefined where the local default serves. */
export interface LocalConfig {
  /** Holds everything `npm start` keeps: data, keys, logs. `.cardinal` in the checkout, never committed. */
  stateFolder: string;
  port: number;
  /** Where the gateway and the files' listener listen. */
  host: string;
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  /** Where the issuer of tokens publishes its keys. */
  keysPlace: KeysPlace | undefined;
  tokens: TokenRules;
  /** How long the stream of events gets, bytes. */
  streamBytes: number;
}

/** Which tokens the gateway takes. */
export interface TokenRules {
  audience: string;
  /** The variable that names keys of the user's own, or their issuer; without one the development key signs. */
  keysFrom: (typeof keysNamedBy)[number] | undefined;
  /** How long a token may be good for, in seconds. */
  maxLifetimeS: number;
}

const keysNamedBy = ['JWKS_URL', 'JWKS_FILE', 'TOKEN_ISSUER'] as const;

/** A choice that cannot be followed, told in one line. */
export class ConfigError extends Error {}

const given = (name: string) => process.env[name] || undefined;

/**
 * Reads what `npm start` itself needs to know, and for a second stack beside the first `CARDINAL_STATE`.
 * @throws ConfigError when a number is none
 */
export const readConfig = (): LocalConfig => {
  const stateFolder = resolve(given('CARDINAL_STATE') ?? join(repository, '.cardinal'));
  const keysFrom = keysNamedBy.find(given);
  const port = numberOf('PORT', 8080, 0, 65_535);
  const tokens = {
    audience: (given('TOKEN_AUDIENCE') ?? tokenAudience).split(',')[0]?.trim() ?? tokenAudience,
    keysFrom,
    maxLifetimeS: numberOf('TOKEN_MAX_LIFETIME_S', 86_400, 1, Number.MAX_SAFE_INTEGER),
  };
  const [databaseUrl, natsUrl] = [given('DATABASE_URL'), given('NATS_URL')];
  const place = { JWKS_URL: given('JWKS_URL'), TOKEN_ISSUER: given('TOKEN_ISSUER') ?? '' };
  const keysPlace = keysFrom && keysFrom !== 'JWKS_FILE' ? place : undefined;
  const streamBytes = numberOf('EVENT_STREAM_BYTES', 2 * 1_024 ** 3, 1_000_000, Number.MAX_SAFE_INTEGER);
  return {
    streamBytes,
    port,
    host: given('HOST') ?? '127.0.0.1',
    stateFolder,
    databaseUrl,
    natsUrl,
    keysPlace,
    tokens,
  };
};

const numberOf = (name: string, byDefault: number, least: number, most: number): number => {
  const number = Number(given(name) ?? byDefault);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new ConfigError(`${name} must be a number from ${least} to ${most}`);
};

/** Those variables that our environment has and `wanted` names. */
export const chosen = (wanted: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => !!entry[1] && wanted(entry[0])),
  );

/** `CARD_DATABASE_URL` for the card service and so on; `DATABASE_URL` where a service has none of its own. */
export const chosenDatabaseUrl = (service: string): string | undefined =>
  given(`${service.toUpperCase()}_DATABASE_URL`) ?? given('DATABASE_URL');

const inherited = /^(PATH|HOME|TMPDIR|LANG|LC_\w+|TZ|NODE_ENV|NODE_OPTIONS|LOG_LEVEL|OTEL_\w+|\w+_proxy)$/i;

/** The part of our environment that every child gets: nothing that would choose its servers or ports, and no secret. */
export const inheritedEnvironment = (): Record<string, string> => chosen((name) => inherited.test(name));

/** Folders of the PATH. */
export const searchPath = (): string[] => (given('PATH') ?? '').split(':').filter(Boolean);

/** True where Postgres would refuse to run as this user. */
export const isRoot = () => userInfo().uid === 0;
