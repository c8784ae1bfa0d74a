import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

/** How long who keeps a connection has to use it once more and be told that it ends, ms; anew whenever somebody did. */
const partingMs = 1_000;
/** The same in all, far below what a service may take to stop, ms. */
const longestPartingMs = 5_000;
/** How often it is looked whether all are gone, or idle, ms. */
const lookMs = 50;

/**
 * To be awaited before an HTTP server closes. Node closes connections that are idle at once, and a request that is just on
 * its way on one of them is lost; one whose request is under way it leaves open until its client is idle for long. So from
 * now on every answer says that its connection ends (RFC 9112, 9.6), and after the close none stays.
 * @returns resolves when no connection of before is left or nobody uses them for a second, at the latest after 5 s
 */
export const drainConnections = async (server: Server): Promise<void> => {
  const count = promisify(server.getConnections.bind(server));
  // Whoever connects now is told with the first answer.
  const later = new Set<Socket>();
  server.on('connection', (socket) => {
    later.add(socket);
    socket.once('close', () => later.delete(socket));
  });
  const start = Date.now();
  let lastUse = start;
  const endConnection = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!later.has(socket)) lastUse = Date.now();
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  // Before those who answer.
  for (const event of ['request', 'checkContinue']) server.prependListener(event, endConnection);
  const isOver = () => Date.now() >= Math.min(lastUse + partingMs, start + longestPartingMs);
  while (!isOver() && (await count()) > later.size) await setTimeout(lookMs);
  // What has come by now is read before anything is closed.
  await setImmediate();
  const closing = setInterval(() => server.closeIdleConnections(), lookMs).unref();
  server.once('close', () => clearInterval(closing));
};
