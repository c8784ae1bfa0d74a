import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { promisify } from 'node:util';

/** How long whoever keeps a connection has to use it once more and be told that it ends, ms. */
const partingMs = 1_000;
/** How often it is looked whether all are gone, or idle, ms. */
const lookMs = 50;

const endsConnection = (_: IncomingMessage, response: ServerResponse) => {
  if (!response.headersSent) response.setHeader('connection', 'close');
};

/**
 * To be awaited before an HTTP server closes. Node closes connections that are idle at once, and a request that is just on
 * its way on one of them is lost; one whose request is under way it leaves open until its client is idle for long. So from
 * now on every answer says that its connection ends (RFC 9112, 9.6), and after the close none stays.
 * @returns resolves when no connection is left, or after a second
 */
export const drainConnections = async (server: Server): Promise<void> => {
  const count = promisify(server.getConnections.bind(server));
  // Before those who answer.
  for (const event of ['request', 'checkContinue']) server.prependListener(event, endsConnection);
  const end = Date.now() + partingMs;
  while (Date.now() < end && (await count()) > 0) await new Promise((resolve) => setTimeout(resolve, lookMs));
  const closing = setInterval(() => server.closeIdleConnections(), lookMs).unref();
  server.once('close', () => clearInterval(closing));
};
