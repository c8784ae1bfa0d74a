import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';

/** The root of the checkout. */
export const repository = join(import.meta.dirname, '../../..');

/** Where unpacked programs and compiled code are kept, for every start and test of this checkout. */
export const cacheFolder = join(repository, '.cardinal/cache');

/** Holds everything `npm start` keeps: data, keys, logs. `CARDINAL_STATE`, or `.cardinal` in the checkout, never committed. */
export const stateFolder = (): string => resolve(process.env.CARDINAL_STATE || join(repository, '.cardinal'));

/** The environment in which Node keeps compiled code there, which halves the time that a start takes. */
export const compileCache = { NODE_COMPILE_CACHE: join(cacheFolder, 'node') };

/** A setting that cannot be used, explained in one line. */
export class ConfigError extends Error {}

/** Those variables that our environment has and `matches` names. */
export const variablesOf = (matches: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => !!entry[1] && matches(entry[0])),
  );

const inherited = /^(PATH|HOME|TMPDIR|LANG|LC_\w+|TZ|NODE_ENV|NODE_OPTIONS|LOG_LEVEL|OTEL_\w+|\w+_proxy)$/i;

/** The part of our environment that every child gets: nothing that would choose its servers or ports, and no secret. */
export const inheritedEnvironment = (): Record<string, string> => variablesOf((name) => inherited.test(name));

/** Folders of the PATH. */
export const searchPath = (): string[] => (process.env.PATH ?? '').split(':').filter(Boolean);

/** True where Postgres would refuse to run as this user. */
export const isRoot = () => userInfo().uid === 0;
