import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** How long, ms, and for how many bytes a client may go on to send what nobody reads. */
const lingerMs = 1_000;
const lingerBytes = 1024 * 1024;

/** A request without a body, or with one of no bytes. */
export const hasEmptyBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** Discards a body until it ends, or for a moment; what comes beyond the bytes stays in the client. */
const discard = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, lingerMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > lingerBytes) request.pause();
    });
    for (const event of ['end', 'error', 'close']) request.once(event, end);
  });

async function* answerThenLinger(payload: string | Buffer, request: IncomingMessage) {
  yield payload;
  await discard(request);
}

/**
 * Answers a request whose body is still on its way, then closes the connection (RFC 9112 9.6): the answer leaves at once
 * and whole; the socket is destroyed when the client had a moment to read it, because a reset would take it away.
 */
export const lingering = (app: FastifyInstance): void => {
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (raw.complete || hasEmptyBody(raw)) {
      done(null, payload);
      return;
    }
    // A short body often came with the headers; the parser reaches it after this tick.
    setImmediate(() => {
      if (raw.complete) {
        done(null, payload);
        return;
      }
      reply.header('connection', 'close');
      if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
        done(null, payload);
        return;
      }
      reply.header('content-length', Buffer.byteLength(payload));
      done(null, Readable.from(answerThenLinger(payload, raw), { objectMode: false }));
    });
  });
};

/** The same for a socket on which no request can be read any more: its last words, and a moment to read them. */
export const endLingering = (socket: Socket, lastWords: string): void => {
  const most = socket.bytesRead + lingerBytes;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', () => {
    if (socket.bytesRead > most) socket.destroy();
  });
  socket.end(lastWords);
};
