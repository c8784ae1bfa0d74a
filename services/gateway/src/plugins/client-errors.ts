import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { CardinalError } from '@cardinal/contracts';
import { errorResponse } from '../http/error-body.ts';
import { endLingering } from './lingering.ts';

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
