import type { ServerResponse } from 'node:http';
import { CardinalError, errorStatus } from '@cardinal/contracts';
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
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
};

/** Answers an error in the API's shape (api-decisions, "Requests, responses, errors"). */
export const sendError = (response: ServerResponse, error: unknown, requestId: string, logger: Logger): void => {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const known = error instanceof CardinalError ? error : new CardinalError('internal', 'Internal error');
  if (known.code === 'internal') logger.error({ err: error }, 'a transfer failed');
  if (known.code === 'unavailable') response.setHeader('retry-after', '1');
  sendJson(response, errorStatus[known.code], {
    error: { code: known.code, message: known.message, request_id: requestId },
  });
};

/** Answers that a file has no such part. */
export const sendNoSuchRange = (response: ServerResponse, size: number): void => {
  response.setHeader('content-range', `bytes */${size}`);
  const message = `The file has ${size} bytes`;
  const request_id = response.getHeader('x-request-id');
  sendJson(response, 416, { error: { code: 'invalid_request', message, request_id } });
};
