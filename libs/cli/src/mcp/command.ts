import { CardinalError, clientVersion, createSender } from '@cardinal/client/source';
import { errorStatus } from '@cardinal/contracts';
import { type Api, Refusal } from '@cardinal/mcp/calls';
import type { Command } from 'commander';
import { clientOptions, type Session } from '../session.ts';

/** An assistant and its user wait for an answer, and it can say that none comes. */
const patience = { retry: { attempts: 3 } };

const isOfApi = (code: string): code is keyof typeof errorStatus => code in errorStatus;

const refusalOf = ({ code, message, details, requestId }: CardinalError): Refusal => {
  if (code === 'connection_failed' || code === 'timed_out') return new Refusal('connection_failed', message);
  return new Refusal(isOfApi(code) ? code : 'internal', message, { details, ...(requestId && { requestId }) });
};

const serve = async (session: Session) => {
  const send = createSender({ ...patience, ...clientOptions(session) });
  const api: Api = async (request) => {
    try {
      const { status, headers, body } = await send(request);
      return { status, headers: Object.fromEntries(headers), body };
    } catch (error) {
      throw error instanceof CardinalError ? refusalOf(error) : error;
    }
  };
  const { serveOnStdio } = await import('@cardinal/mcp/stdio');
  // Standard output is the protocol's.
  serveOnStdio(api, { version: clientVersion, onError: (error) => console.error(error) });
};

/** `cardinal mcp`: the tools of libs/mcp for an assistant that starts it. */
export const addMcp = (program: Command, session: Session): void => {
  program
    .command('mcp')
    .description('serve an assistant over standard input and output (Model Context Protocol); the assistant starts it')
    .action(() => serve(session));
};
