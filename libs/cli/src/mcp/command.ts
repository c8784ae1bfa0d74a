import { clientVersion, createSender } from '@cardinal/client/source';
import type { Command } from 'commander';
import { accessOf, type Session } from '../session.ts';

/** An assistant and its user wait for an answer, and it can say that none comes. */
const attempts = 3;

const serve = async (session: Session) => {
  const { url: baseUrl, token } = accessOf(session);
  const [{ serveOnStdio }, { clientApi }] = await Promise.all([import('@cardinal/mcp/stdio'), import('./api.ts')]);
  serveOnStdio(clientApi(createSender({ baseUrl, token, retry: { attempts } })), {
    version: clientVersion,
    // Standard output is the protocol's.
    onError: (error) => console.error(error),
  });
};

/** `cardinal mcp`: the tools of libs/mcp for an assistant that starts it. */
export const addMcp = (program: Command, session: Session): void => {
  program
    .command('mcp')
    .description('serve an assistant over standard input and output (Model Context Protocol); the assistant starts it')
    .action(() => serve(session));
};
