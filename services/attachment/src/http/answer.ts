import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { CardinalError, type ErrorCode, errorStatus } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';

/** Every answer of this listener: nothing is guessed, run, framed or kept by others. */
const guards = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Sets what every answer carries. */
export const guard = (response: ServerResponse, requestId: string): void => {
  for (const [name, value] of Object.entries(guards)) response.setHeader(name, value);
  response.setHeader('x-request-id', requestId);
};

/** Answers JSON. */
export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length }).end(text);
};

const errorBody = (code: ErrorCode, message: string, requestId: string) => ({
  error: { code, message, request_id: requestId },
});

/** Answers an error in the API's shape (api-decisions, "Requests, responses, errors"). @param status other than the code's */
export const sendError = (
  response: ServerResponse,
  error: unknown,
  requestId: string,
  logger: Logger | undefined,
  status?: number,
): void => {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { code, message } = error instanceof CardinalError ? error : new CardinalError('internal', 'Internal error');
  if (code === 'internal') logger?.error({ err: error }, 'a transfer failed');
  if (code === 'unavailable') response.setHeader('retry-after', '1');
  sendJson(response, status ?? errorStatus[code], errorBody(code, message, requestId));
};

/** Why Node gave a connection up before there was a request to answer, by its code; else the request is malformed. */
const givenUp: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [400, 'The request line and headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
};

/** Answers, in the same shape, what is no whole HTTP request; the connection ends with it. */
export const endWithError = (socket: Socket, reason: string | undefined, requestId: string): void => {
  const [status, message] = givenUp[reason ?? ''] ?? [400, 'The request is malformed'];
  const body = JSON.stringify(errorBody('invalid_request', message, requestId));
  const headers = {
    ...guards,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n');
  socket.end(text, () => socket.destroy());
};

/** Answers that a file has no such part. */
export const sendNoSuchRange = (response: ServerResponse, size: number): void => {
  response.setHeader('content-range', `bytes */${size}`);
  const message = `The file has ${size} bytes`;
  const request_id = response.getHeader('x-request-id');
  sendJson(response, 416, { error: { code: 'invalid_request', message, request_id } });
};
