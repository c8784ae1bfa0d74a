import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';

/** How long who keeps a connection has to use it once more and be told that it ends, ms; anew whenever somebody did. */
const partingMs = 1_000;
/** The same in all, far below what a service may take to stop, ms. */
const longestPartingMs = 5_000;
/** How often it is looked whether all are gone, or idle, ms. */
const lookMs = 50;
/** After which time, ms, connections are closed under the requests that are still under way on them. */
const drainTimeoutMs = 10_000;

/**
 * Node closes connections that are idle when a server closes, and a request that is just on its way on one of them is lost;
 * one whose request is under way it leaves open until its client is idle for long; for one on which no request ever came
 * (browsers and load balancers open such) it waits without end.
 * @param server one that does not listen yet
 * @returns drains it, to be called once and awaited before the server is closed: from then on every answer says that its
 * connection ends (RFC 9112, 9.6). Resolves when no connection of before is left or nobody uses them for a second, at the
 * latest after 5 s; after that, connections end as soon as no request is under way on them, all of them 10 s after the call
 */
export const connectionDrain = (server: Server): (() => Promise<void>) => {
  /** How many requests are under way on each connection. */
  const connections = new Map<Socket, number>();
  /** Whoever connects while it drains is told with the first answer. */
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
