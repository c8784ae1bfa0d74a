import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests that may wait on a connection for the one that is under way there. */
const maxWaiting = 8;

/**
 * Node parses what came in one piece to its end, 64 KiB of requests, also for a destroyed socket; each costs more to be
 * thrown away than to be read. So the next one is an error for the parser.
 */
const stopParsing = (socket: Socket & { parser?: { onIncoming: () => number } | null }) => {
  if (socket.parser) socket.parser.onIncoming = () => -1;
};

interface Pipeline {
  /** The response to the request that came last. */
  last: ServerResponse;
  waiting: number;
}

/**
 * Serves the requests of a connection one after the other: the next one is begun when the socket has taken the answer
 * before it. So a client that pipelines (RFC 9112 9.3.2) without reading costs one answer at a time. A connection on
 * which more than 8 requests wait is closed.
 * @param server one whose only listener is the framework's, which must not even see what waits or is dropped: that
 * costs several times what reading it does
 */
export const oneAtATime = (server: Server): void => {
  const [serve] = server.listeners('request') as RequestListener[];
  if (!serve) throw new Error('The server has no listener yet');
  const pipelines = new WeakMap<Socket, Pipeline>();
  server.removeListener('request', serve);
  server.on('request', (request, response) => {
    const { socket } = request;
    // What came in one piece is read to its end.
    if (socket.destroyed) return;
    const pipeline = pipelines.get(socket);
    const begin = () => {
      // The client has gone.
      if (!socket.destroyed) serve(request, response);
    };
    if (!pipeline || pipeline.last.closed) {
      pipelines.set(socket, { last: response, waiting: 0 });
      // When all that came with it is parsed: a connection that is closed for it has nothing made.
      process.nextTick(begin);
      return;
    }
    if (pipeline.waiting >= maxWaiting) {
      stopParsing(socket);
      socket.destroy();
      return;
    }
    pipeline.waiting += 1;
    pipeline.last.once('close', () => {
      pipeline.waiting -= 1;
      begin();
    });
    pipeline.last = response;
  });
};

const destroy = (socket: Socket) => socket.destroy();

export interface AnswerTimeouts {
  /** How long a client may take nothing of an answer, ms. */
  idleMs: number;
  /** How long it may take for all of it, ms. */
  timeoutMs: number;
}

/** Closes the connection of a client that takes too long over an answer, or nothing of it for a while. */
export const answerTimeouts = (app: FastifyInstance, { idleMs, timeoutMs }: AnswerTimeouts): void => {
  app.addHook('onSend', ({ raw: { socket } }, { raw: response }, payload, done) => {
    // What a process asks itself has none.
    if (!(socket instanceof Socket)) {
      done(null, payload);
      return;
    }
    socket.setTimeout(idleMs);
    const timer = setTimeout(destroy, timeoutMs, socket);
    response.once('close', () => clearTimeout(timer));
    done(null, payload);
  });
};
