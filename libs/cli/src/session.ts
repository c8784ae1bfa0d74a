import { type CardinalClient, type ClientOptions, createClient } from '@cardinal/client/source';
import { isApiKey, workspaceOf } from '@cardinal/contracts';
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
  /** Whether the user was told that the API key ends soon. */
  isWarned: boolean;
  /** Of the process, once the command has ended. */
  exitCode: number;
}

/** A token or an API key as a request can have it. @throws CliError for what neither can be; it does not repeat it */
export const checkToken = (token: string): string => {
  if (isApiKey(token) && workspaceOf(token) === undefined) {
    throw new CliError('the API key is none: it was copied in part, or has a wrong letter');
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CliError('the token is none: it must be one word of ASCII letters, digits and signs');
};

/** The address and the token. @throws CliError without a token */
const accessOf = (session: Session): { url: string; token: ClientOptions['token'] } => {
  const { url, token, profile } = session.access();
  if (token !== undefined) return { url, token: typeof token === 'string' ? checkToken(token) : token };
  if (profile !== undefined) {
    throw new CliError(
      `no token for ${url}: profile "${profile.name}" is of ${profile.url}; choose another one with --profile, or say --token`,
    );
  }
  throw new CliError(
    'no token; "cardinal login" keeps one, else set CARDINAL_TOKEN or say --token ("npm run --silent key" makes an API key for the demo workspace)',
  );
};

/** Warns once, on standard error, when an answer says that the API key ends soon (CONTRACT 13.3). */
export const warnOfEnd =
  (session: Session): NonNullable<ClientOptions['onAttempt']> =>
  ({ keyExpiresAt }) => {
    if (keyExpiresAt === undefined || session.isWarned) return;
    session.isWarned = true;
    console.error(
      `warning: the API key ends at ${keyExpiresAt}; before that, make another with "cardinal keys create" and a token or a key that ends later, or ask the operator for one`,
    );
  };

/** What every client of the service is made with. @throws CliError without a token */
export const clientOptions = (session: Session): ClientOptions => {
  const { url: baseUrl, token } = accessOf(session);
  return { baseUrl, token, onAttempt: warnOfEnd(session) };
};

/** A client of the service. @throws CliError without a token */
export const connect = (session: Session, options: Pick<ClientOptions, 'retry' | 'timeoutMs'> = {}): CardinalClient =>
  createClient({ ...options, ...clientOptions(session) });
