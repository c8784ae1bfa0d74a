import { clientVersion } from '@cardinal/client/source';
import type { Command } from 'commander';
import { accessOf, type Session } from '../session.ts';

const serve = async (session: Session) => {
  const { url: baseUrl, token } = accessOf(session);
  const { remoteApi, serveOnStdio } = await import('@cardinal/mcp/stdio');
  serveOnStdio(remoteApi({ baseUrl, token: () => token, userAgent: `cardinal/${clientVersion}` }), {
    version: clientVersion,
    // Standard output is the protocol's.
    onError: (error) => console.error(error),
  });
};

/** `cardinal mcp`: the tools of libs/mcp for an assistant that starts it. */
export const addMcp = (program: Command, session: Session): void => {
  program
    .command('mcp')
    .description(
      'serve an assistant over standard input and output (Model Context Protocol); it is started by the assistant',
    )
    .action(() => serve(session));
};
