import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CardinalError } from '@cardinal/contracts';
import { http } from '@cardinal/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AnswerTimeouts, answerTimeouts } from './connections.ts';
import { errorResponse, HttpError } from './errors.ts';

const waiting = new WeakSet<IncomingMessage>();
const unmet = new WeakSet<IncomingMessage>();

/** True while the client waits for `100 Continue` before it sends its body (`Expect: 100-continue`). */
export const waitsToSend = (request: IncomingMessage): boolean => waiting.has(request);

/** Sends `100 Continue` to a client that waits for it; a client that was refused before sends no body. */
export const askForBody = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
  if (waiting.delete(raw)) reply.raw.writeContinue();
};

/** What of a request's protocol cannot be met. */
const faultOf = ({ raw }: FastifyRequest): CardinalError | undefined => {
  // RFC 9110 10.1.1; the catalogue has no code of its own for it.
  if (unmet.has(raw)) return new HttpError('invalid_request', 'Expect: only 100-continue can be met', { status: 417 });
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return undefined;
  return new CardinalError('invalid_request', 'The Host header is missing');
};

/** Refuses what of the protocol cannot be met. */
export const refuseUnmet = (
  scope: FastifyInstance,
  isJudged: (request: FastifyRequest) => boolean = () => true,
): void => {
  scope.addHook('onRequest', (request, _reply, done) => done(isJudged(request) ? faultOf(request) : undefined));
};

/** Takes over what Node would answer in another shape: `Expect`, a missing `Host` (RFC 9112 3.2) and `CONNECT`. */
const ownAnswers = (app: FastifyInstance): void => {
  const { server } = app;
  const serve = (marked: WeakSet<IncomingMessage>) => (request: IncomingMessage, response: ServerResponse) => {
    marked.add(request);
    server.emit('request', request, response);
  };
  server.on('checkContinue', serve(waiting));
  server.on('checkExpectation', serve(unmet));
  server.on('connect', (_request: IncomingMessage, socket: Socket) => answerClientError(new Error('CONNECT'), socket));
};

/** Why Node gave a connection up, by its code; the catalogue has no code of its own for a timeout. */
const reasons: Record<string, HttpError> = {
  HPE_HEADER_OVERFLOW: new HttpError('invalid_request', 'The request line and headers are too long', {}),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError('invalid_request', 'The request took too long to arrive', { status: 408 }),
};
const malformed = new HttpError('invalid_request', 'The request is malformed', {});

const answered = new WeakSet<Socket>();

/** An answer is under way on the socket, into whose midst nothing may be written. */
const isAnswering = (socket: Socket) =>
  (socket as { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true;

/** Answers, in our error shape, what is no HTTP request at all; the connection ends with it. */
export const answerClientError = (error: Error & { code?: string }, socket: Socket): void => {
  // The parser reports an error again for each further chunk.
  if (answered.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  answered.add(socket);
  const requestId = randomUUID();
  const { status, body } = errorResponse(reasons[error.code ?? ''] ?? malformed, requestId);
  const payload = JSON.stringify(body);
  endLingering(
    socket,
    [
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(payload)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      payload,
    ].join('\r\n'),
  );
};

/** How long, ms, and for how many bytes a client may go on sending a body that is dropped. */
export interface Lingering {
  ms: number;
  bytes: number;
}
const usualLingering: Lingering = { ms: 1_000, bytes: 1024 * 1024 };

/** A request without a body, or with one of no bytes. */
export const hasEmptyBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** An answer, behind which a body is discarded until it ends, or for a moment; what is too much stays in the client. */
async function* answerThenLinger(payload: string | Buffer, request: IncomingMessage, most: Lingering) {
  yield payload;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most.bytes) request.pause();
  });
  await finished(request, { signal: AbortSignal.timeout(most.ms) }).catch(() => undefined);
}

/**
 * Answers a request whose body is still on its way, then closes the connection (RFC 9112 9.6): the answer leaves at once
 * and whole; the socket is destroyed when the client had a moment to read it, because a reset would take it away.
 */
const lingering = (app: FastifyInstance, most: Lingering): void => {
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (raw.complete || raw.readableEnded || hasEmptyBody(raw)) {
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
      done(null, Readable.from(answerThenLinger(payload, raw, most), { objectMode: false }));
    });
  });
};

/**
 * The same for a socket on which no request can be read any more: sends a last answer, and leaves a moment to read it.
 */
const endLingering = (socket: Socket, lastWords: string): void => {
  const most = socket.bytesRead + usualLingering.bytes;
  const timer = setTimeout(() => socket.destroy(), usualLingering.ms);
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', () => {
    if (socket.bytesRead > most) socket.pause();
  });
  socket.end(lastWords);
};

/**
 * How a server deals with its clients' connections, for any input. What cannot be served is refused where `refuseUnmet`
 * is registered: after the hooks that count and log requests, and after the check of the token.
 */
export const protocol = (
  app: FastifyInstance,
  { lingerFor = usualLingering, ...timeouts }: AnswerTimeouts & { lingerFor?: Lingering },
): void => {
  answerTimeouts(app, timeouts);
  lingering(app, lingerFor);
  ownAnswers(app);
};
