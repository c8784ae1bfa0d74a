import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { CardinalError } from '@cardinal/contracts';
import { errorResponse } from '../http/error-body.ts';

const reasons: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and headers are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive',
};

/** Answers, in our error shape, what is no HTTP request at all; the connection ends with it. */
export const answerClientError = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const message = reasons[error.code ?? ''] ?? 'The request is malformed';
  const { status, body } = errorResponse(new CardinalError('invalid_request', message), requestId);
  const payload = JSON.stringify(body);
  socket.end(
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
