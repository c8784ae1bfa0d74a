import { homedir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { UsageError } from './errors.ts';
import type { Proxies } from './proxy.ts';

/** What the program reads from the environment; options on the command line win. */
export interface Environment {
  url: string | undefined;
  token: string | undefined;
  /** Which profile counts, where nothing above says it. */
  profile?: string | undefined;
  /** Where profiles are kept; undefined: nowhere. */
  profiles?: string | undefined;
  /** The proxies. */
  proxies?: Proxies;
  /** Where a relative FILE starts: npm changes into the repository's root and notes where it was called. */
  directory: string;
}

/** The default address of Cardinal: that of `npm start`. */
export const defaultUrl = 'http://127.0.0.1:8080';

/** Whether a text is the address of something that speaks HTTP. */
export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** An option that is an address. @throws InvalidArgumentError where it is none */
export const webAddress = (text: string): string => {
  if (isWebAddress(text)) return text;
  throw new InvalidArgumentError('It must be an http or https URL.');
};

/** The address in the environment, if any. @throws UsageError where it is invalid */
export const urlIn = ({ url }: Environment): string | undefined => {
  if (url === undefined || isWebAddress(url)) return url;
  throw new UsageError(`CARDINAL_URL: "${url}" is no http or https URL such as ${defaultUrl}`);
};

/** Reads what says which proxies there are: `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, in small letters too, and Node's own switch. */
const readProxies = (env: NodeJS.ProcessEnv = process.env): Proxies =>
  Object.fromEntries(
    ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY', 'NODE_USE_ENV_PROXY'].map(
      (name) => [name, env[name]],
    ),
  );

/** Reads `CARDINAL_URL`, `CARDINAL_TOKEN`, `CARDINAL_PROFILE`, and where the user's configuration is (`XDG_CONFIG_HOME`). */
export const readEnvironment = (env: NodeJS.ProcessEnv = process.env): Environment => ({
  url: env.CARDINAL_URL || undefined,
  token: env.CARDINAL_TOKEN?.trim() || undefined,
  profile: env.CARDINAL_PROFILE || undefined,
  profiles: join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'cardinal', 'profiles'),
  proxies: readProxies(env),
  directory: (['import', 'export'].includes(env.npm_lifecycle_event ?? '') && env.INIT_CWD) || process.cwd(),
});

/** From now on nothing is coloured: what Node looks at where it colours (`NO_COLOR`, `FORCE_COLOR`) says so. */
export const refuseColours = (env: NodeJS.ProcessEnv = process.env): void => {
  env.NO_COLOR = '1';
  delete env.FORCE_COLOR;
};
