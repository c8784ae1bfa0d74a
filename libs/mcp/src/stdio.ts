import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Api } from './api.ts';
import { keyEndNotice } from './key-end.ts';
import { lineTransport } from './lines.ts';
import { mcpServer, type ServerOptions } from './server.ts';

/**
 * Serves a client of the protocol over standard input and output until its input ends and all that it asked is answered.
 * Nothing else may write to standard output meanwhile.
 */
export const serveOnStdio = (api: Api, options: ServerOptions) => {
  // The library may make several servers for one client.
  const notice = keyEndNotice();
  return serveStdio(() => mcpServer(api, { ...options, keyEndNotice: notice }), {
    onerror: options.onError,
    transport: lineTransport(process.stdin, process.stdout),
  });
};
