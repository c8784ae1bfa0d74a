import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { CardinalError, type ErrorCode, errorStatus } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';

/** Every answer of this listener: nothing is guessed, run, framed or kept by others. */
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Sets what every answer carries. */
export const setSecurityHeaders = (response: ServerResponse, requestId: string): void => {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
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
    ...securityHeaders,
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

/** Whose pages may upload and download: everybody's, or those of these origins. */
export type Origins = '*' | ReadonlySet<string>;

/** What a page may read of an answer beside what every page may. */
const readable = 'accept-ranges, content-disposition, content-length, content-range, etag, retry-after, x-request-id';
/** How long a browser need not ask again, seconds. */
const maxAge = '7200';

/** Lets a page read the answer where its origin may (Fetch standard, "CORS protocol"). */
export const allowOrigin = ({ headers }: IncomingMessage, response: ServerResponse, origins: Origins): void => {
  const { origin } = headers;
  if (origins !== '*') response.setHeader('vary', 'origin');
  if (origins !== '*' && (origin === undefined || !origins.has(origin))) return;
  response.setHeader('access-control-allow-origin', origins === '*' ? '*' : (origin ?? ''));
  response.setHeader('access-control-expose-headers', readable);
};

/** Answers what a browser asks before it lets a page send something. No header can do harm: the URL is the permission. */
export const answerPreflight = ({ headers }: IncomingMessage, response: ServerResponse, methods: string): void => {
  const requested = headers['access-control-request-headers'];
  response.writeHead(204, {
    allow: methods,
    'access-control-allow-methods': methods,
    ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
    'access-control-max-age': maxAge,
  });
  response.end();
};
