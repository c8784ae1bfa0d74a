import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { apiPrefix, CardinalError } from '@cardinal/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errorResponse, HttpError } from './errors.ts';

const waiting = new WeakSet<IncomingMessage>();
const unmet = new WeakSet<IncomingMessage>();

/** True while the client waits for a word before it sends its body (`Expect: 100-continue`). */
export const waitsToSend = (request: IncomingMessage): boolean => waiting.has(request);

/** Asks clients that wait for it for their bodies, when everything else was checked: one that is refused sends none. */
export const askForBodies = (api: FastifyInstance): void => {
  api.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    if (waiting.delete(raw)) reply.raw.writeContinue();
    done();
  });
};

/** A URL without its query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

export const isOfApi = (url: string): boolean => `${pathOf(url)}/`.startsWith(`${apiPrefix}/`);

/** What of a request's protocol cannot be met. */
const faultOf = ({ raw }: FastifyRequest): CardinalError | undefined => {
  // RFC 9110 10.1.1; the catalogue has no code of its own for it.
  if (unmet.has(raw)) return new HttpError('invalid_request', 'Expect: only 100-continue can be met', { status: 417 });
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return undefined;
  return new CardinalError('invalid_request', 'The Host header is missing');
};

/**
 * Takes over what Node would answer in another shape: `Expect`, a missing `Host` (RFC 9112 3.2) and `CONNECT`. Inside the
 * API the token comes first, so the result is a hook to stand behind it.
 */
export const protocol = (app: FastifyInstance) => {
  const { server } = app;
  const serve = (marked: WeakSet<IncomingMessage>) => (request: IncomingMessage, response: ServerResponse) => {
    marked.add(request);
    server.emit('request', request, response);
  };
  server.on('checkContinue', serve(waiting));
  server.on('checkExpectation', serve(unmet));
  server.on('connect', (_request: IncomingMessage, socket: Socket) => answerClientError(new Error('CONNECT'), socket));

  app.addHook('onRequest', (request, _reply, done) => done(isOfApi(request.url) ? undefined : faultOf(request)));
  return (api: FastifyInstance): void => {
    api.addHook('onRequest', (request, _reply, done) => done(faultOf(request)));
  };
};

const reasons: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and headers are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive',
};

const answered = new WeakSet<Socket>();

/** An answer is under way on the socket, into whose midst nothing may be written. */
const isAnswering = (socket: Socket) =>
  (socket as { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true;

/** Answers, in our error shape, what is no HTTP request at all; the connection ends with it. */
export const answerClientError = (error: Error & { code?: string }, socket: Socket): void => {
  // The parser complains anew of whatever follows.
  if (answered.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  answered.add(socket);
  const requestId = randomUUID();
  const message = reasons[error.code ?? ''] ?? 'The request is malformed';
  const { status, body } = errorResponse(new CardinalError('invalid_request', message), requestId);
  const payload = JSON.stringify(body);
  endLingering(
    socket,
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(payload)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      payload,
    ].join('\r\n'),
  );
};

/** How long, ms, and for how many bytes a client may go on to send what nobody reads. */
const lingerMs = 1_000;
const lingerBytes = 1024 * 1024;

/** A request without a body, or with one of no bytes. */
export const hasEmptyBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** An answer, behind which a body is discarded until it ends, or for a moment; what is too much stays in the client. */
async function* answerThenLinger(payload: string | Buffer, request: IncomingMessage) {
  yield payload;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytes) request.pause();
  });
  await finished(request, { signal: AbortSignal.timeout(lingerMs) }).catch(() => undefined);
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
const endLingering = (socket: Socket, lastWords: string): void => {
  const most = socket.bytesRead + lingerBytes;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', () => {
    if (socket.bytesRead > most) socket.pause();
  });
  socket.end(lastWords);
};
