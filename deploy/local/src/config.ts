import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';

/** The root of the checkout. */
export const repository = join(import.meta.dirname, '../../..');

/** What the user chose through the environment; undefined where the local default serves. */
export interface LocalConfig {
  /** Holds everything `npm start` keeps: data, keys, logs. `.cardinal` in the checkout, never committed. */
  stateFolder: string;
  port: number;
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  /** A clamd that looks through uploaded files. */
  clamdUrl: string | undefined;
}

/** A choice that cannot be followed, told in one line. */
export class ConfigError extends Error {}

const given = (name: string) => process.env[name] || undefined;

/**
 * Reads `PORT`, `DATABASE_URL`, `NATS_URL`, `CLAMD_URL` and, for a second stack beside the first, `CARDINAL_STATE`.
 * @throws ConfigError when PORT is no port
 */
export const readConfig = (): LocalConfig => {
  const port = Number(given('PORT') ?? 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new ConfigError('PORT must be a number from 0 to 65535');
  const stateFolder = resolve(given('CARDINAL_STATE') ?? join(repository, '.cardinal'));
  const [databaseUrl, natsUrl, clamdUrl] = [given('DATABASE_URL'), given('NATS_URL'), given('CLAMD_URL')];
  return { port, stateFolder, databaseUrl, natsUrl, clamdUrl };
};

/** `CARD_DATABASE_URL` for the card service and so on; `DATABASE_URL` where a service has none of its own. */
export const chosenDatabaseUrl = (service: string): string | undefined =>
  given(`${service.toUpperCase()}_DATABASE_URL`) ?? given('DATABASE_URL');

const inherited =
  /^(PATH|HOME|TMPDIR|LANG|LC_\w+|TZ|NODE_ENV|NODE_OPTIONS|LOG_LEVEL|OTEL_\w+|RATE_LIMIT_\w+|\w+_proxy)$/i;

/** The part of our environment that child processes get: nothing that would choose their servers or ports for them. */
export const inheritedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => inherited.test(entry[0]) && !!entry[1]),
  );

/** Folders of the PATH. */
export const searchPath = (): string[] => (given('PATH') ?? '').split(':').filter(Boolean);

/** True where Postgres would refuse to run as this user. */
export const isRoot = () => userInfo().uid === 0;
