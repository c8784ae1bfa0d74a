import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';

/**
 * How long a client has to use its connection once more and learn that it ends, ms; counted from the last use of any.
 */
const partingMs = 1_000;
/** The same in all, far below what a service may take to stop, ms. */
const longestPartingMs = 5_000;
/** How often it is looked whether all are gone, or idle, ms. */
const lookMs = 50;
/** After which time, ms, connections are closed under the requests that are still under way on them. */
const drainTimeoutMs = 10_000;

/**
 * Closing a server, Node closes idle connections, and a request that is just on its way on one of them is lost. One
 * with a request under way stays open until its client is idle for long, and one on which no request ever came
 * (browsers and load balancers open such) for ever.
 * @param server one that does not listen yet
 * @returns drains it, to be called once and awaited before the server is closed: from then on every answer says that
 * its connection ends (RFC 9112, 9.6). Resolves when no earlier connection is left or none was used for a second, at
 * the latest after 5 s; after that, connections end as soon as no request is under way on them, all of them 10 s after
 * the call
 */
export const connectionDrain = (server: Server): (() => Promise<void>) => {
  /** How many requests are under way on each connection. */
  const connections = new Map<Socket, number>();
  /** Connections opened while it drains: the first answer ends them. */
  let later: WeakSet<Socket> | undefined;
  let lastUse = 0;

  server.on('connection', (socket) => {
    connections.set(socket, 0);
    later?.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const count = (socket: Socket, change: 1 | -1) => {
    const underWay = connections.get(socket);
    if (underWay !== undefined) connections.set(socket, underWay + change);
  };
  const onRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
    if (!later) return;
    if (!later.has(socket)) lastUse = Date.now();
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  // Before those who answer.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, onRequest);

  const endUnused = () => {
    server.closeIdleConnections();
    for (const [socket, underWay] of connections) if (underWay === 0) socket.end();
  };

  return async () => {
    const those = [...connections.keys()];
    later = new WeakSet();
    const start = Date.now();
    lastUse = start;
    const isOver = () => Date.now() >= Math.min(lastUse + partingMs, start + longestPartingMs);
    while (!isOver() && those.some((socket) => connections.has(socket))) await pause(lookMs);
    // What has come by now is read before anything is closed.
    await setImmediate();
    const ending = setInterval(endUnused, lookMs).unref();
    const timer = setTimeout(() => server.closeAllConnections(), start + drainTimeoutMs - Date.now()).unref();
    server.once('close', () => {
      clearInterval(ending);
      clearTimeout(timer);
    });
  };
};
