import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { CardinalError, type ErrorCode, errorStatus } from '@cardinal/contracts';
import { type Logger, requestIdOf } from '@cardinal/runtime';
import { v7 } from 'uuid';

/** Every answer of this listener: nothing is guessed, run, framed or kept by others. */
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Sets what every answer carries. @returns the id by which the request is known from now on */
export const identify = (request: IncomingMessage, response: ServerResponse): string => {
  const requestId = requestIdOf(request);
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  response.setHeader('x-request-id', requestId);
  return requestId;
};

/** Answers JSON. */
export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length }).end(text);
};

/** Answers a refusal in the API's shape (api-decisions, "Requests, responses, errors"). */
export const sendRefusal = (
  response: ServerResponse,
  status: number,
  message: string,
  code: ErrorCode = 'invalid_request',
): void => sendJson(response, status, { error: { code, message, request_id: response.getHeader('x-request-id') } });

/** Answers what an error means, unless an answer has begun. */
export const sendError = (response: ServerResponse, error: unknown, logger: Logger | undefined): void => {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { code, message } = error instanceof CardinalError ? error : new CardinalError('internal', 'Internal error');
  if (code === 'internal') logger?.error({ err: error }, 'a transfer failed');
  if (code === 'unavailable') response.setHeader('retry-after', '1');
  sendRefusal(response, errorStatus[code], message, code);
};

/** Why Node gave a connection up before there was a request to answer, by its code; else the request is malformed. */
const givenUp: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [400, 'The request line and headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
};

/** Answers, in the same shape, what is no whole HTTP request; the connection ends with it. */
export const endWithError = (socket: Socket, reason: string | undefined): void => {
  const [status, message] = givenUp[reason ?? ''] ?? [400, 'The request is malformed'];
  const request_id = v7();
  const body = JSON.stringify({ error: { code: 'invalid_request', message, request_id } });
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': request_id,
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n');
  socket.end(text, () => socket.destroy());
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
