import { type CardinalClient, type ClientOptions, createClient } from '@cardinal/client/source';
import type { Environment } from './config.ts';
import { CliError } from './errors.ts';

/** The address and the token. */
export interface Access {
  url: string;
  /** As the client takes it: that of a profile is renewed. */
  token?: ClientOptions['token'] | undefined;
  /** The profile that was looked at, and its address. */
  profile?: { name: string; url: string } | undefined;
}

/** What commands share: the service, the place where they were called, how they end. */
export interface Session {
  /**
   * As the command line, else the environment, else a profile says it; known once a command runs.
   * @throws CliError of a profile that is not there
   */
  access: () => Access;
  environment: Environment;
  /** Whether `--json` was said: what is printed is for a program, on a terminal too. */
  json: () => boolean;
  /** Where relative paths start. */
  directory: string;
  /** From here on a first signal does not end the process, but has the result say that somebody asked for an early end. */
  watchSignals: () => () => boolean;
  /** Of the process, once the command has ended. */
  exitCode: number;
}

/** A token as a request can have it. @throws CliError for what none can be */
export const checkToken = (token: string): string => {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CliError('the token is none: it must be one word of ASCII letters, digits and signs');
};

/** The address and the token. @throws CliError without a token */
export const accessOf = (session: Session): { url: string; token: ClientOptions['token'] } => {
  const { url, token, profile } = session.access();
  if (token !== undefined) return { url, token: typeof token === 'string' ? checkToken(token) : token };
  if (profile !== undefined) {
    throw new CliError(
      `no token for ${url}: profile "${profile.name}" is of ${profile.url}; choose another one with --profile, or say --token`,
    );
  }
  throw new CliError(
    'no token; "cardinal login" keeps one, else set CARDINAL_TOKEN or say --token ("npm start" prints one for the demo workspace)',
  );
};

/** A client of the service. @throws CliError without a token */
export const connect = (session: Session, options: Pick<ClientOptions, 'retry' | 'timeoutMs'> = {}): CardinalClient => {
  const { url: baseUrl, token } = accessOf(session);
  return createClient({ ...options, baseUrl, token });
};
