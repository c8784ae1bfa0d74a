import { type CardinalClient, type ClientOptions, createClient } from '@cardinal/client/source';
import { CliError } from './errors.ts';

/** Where the service is, and who asks. */
export interface Access {
  url: string;
  token?: string | undefined;
}

/** What commands share: the service, the place where they were called, how they end. */
export interface Session {
  /** As the command line, else the environment says it; known once a command runs. */
  access: () => Access;
  /** Whether `--json` was said: what is printed is for a program, on a terminal too. */
  json: () => boolean;
  /** Where relative paths start. */
  directory: string;
  /** From here on a first signal does not end the process, but has the result say that somebody asked for an early end. */
  watchSignals: () => () => boolean;
  /** Of the process, once the command has ended. */
  exitCode: number;
}

/** Where the service is, and as whom it is asked. @throws CliError without a token */
export const accessOf = (session: Session): Required<Access> & { token: string } => {
  const { url, token } = session.access();
  if (token !== undefined) return { url, token };
  throw new CliError('no token; set CARDINAL_TOKEN or say --token ("npm start" prints one for the demo workspace)');
};

/** A client of the service. @throws CliError without a token */
export const connect = (session: Session, options: Pick<ClientOptions, 'retry' | 'timeoutMs'> = {}): CardinalClient => {
  const { url: baseUrl, token } = accessOf(session);
  return createClient({ ...options, baseUrl, token });
};
