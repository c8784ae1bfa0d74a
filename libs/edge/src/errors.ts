import { CardinalError, type ErrorBody, type ErrorCode, errorStatus, unavailable } from '@cardinal/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Seconds after which a client may try again what was `unavailable`. */
export const retryAfterSeconds = '1';

/** An error whose HTTP form says more than its code does, or something else. */
export class HttpError extends CardinalError {
  readonly http: { status?: number; headers?: Record<string, string> };
  constructor(code: ErrorCode, message: string, http: HttpError['http']) {
    super(code, message);
    this.http = http;
  }
}

const headersOf: { [Code in ErrorCode]?: Record<string, string> } = {
  unavailable: { 'retry-after': retryAfterSeconds },
};

/** The HTTP form of an error: status, headers of its own, and the body (CONTRACT 1.4). */
export const errorResponse = (error: CardinalError, requestId: string) => {
  const { code, message, details } = error;
  const body: ErrorBody = { error: { code, message, request_id: requestId, ...(details ? { details } : {}) } };
  const own = error instanceof HttpError ? error.http : {};
  return { status: own.status ?? errorStatus[code], headers: { ...headersOf[code], ...own.headers }, body };
};

/** What the framework's own refusals say, by their status. */
const foreign: Partial<Record<number, [ErrorCode, string]>> = {
  413: ['payload_too_large', 'The body is larger than 1 MiB'],
  415: ['unsupported_media_type', 'The body must be JSON, with Content-Type: application/json'],
  503: ['unavailable', 'The service is not available'],
};

/** An error of ours that reveals nothing internal to the client. */
const internal = (cause: unknown) =>
  new CardinalError('internal', 'Something went wrong on our side', undefined, { cause });

/** It passes, as other outages do. */
const isFullDisk = (error: unknown) =>
  ['ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown } | null)?.code));

/** The same of what is out of reach: which part it is, only the log says. */
const outOfReach = (cause: unknown) => unavailable('The service is not available', cause);

/**
 * Maps any error of a request to the catalogue. What Fastify refuses keeps its meaning but not its text; everything
 * unknown is `internal`, and a 5xx reveals nothing internal (CONTRACT 1.4).
 */
export const toCardinalError = (error: unknown): CardinalError => {
  // What its thrower wrote for clients.
  if (error instanceof HttpError) return error;
  if (error instanceof CardinalError) {
    if (error.code === 'unavailable') return outOfReach(error);
    return error.code === 'internal' ? internal(error) : error;
  }
  if (isFullDisk(error)) return outOfReach(error);
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (typeof status !== 'number' || status < 400) return internal(error);
  const [code, message] = foreign[status] ?? ['invalid_request', 'The request is malformed'];
  return status < 500 || foreign[status]
    ? new CardinalError(code, message, undefined, { cause: error })
    : internal(error);
};

/** What a reply may have said of a resource before it came to nothing. */
const ofSuccess = ['etag', 'location', 'idempotent-replayed'];

/** Answers with an error of the catalogue. */
export const sendError = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
  for (const name of ofSuccess) reply.removeHeader(name);
  const { status, headers, body } = errorResponse(toCardinalError(error), request.id);
  return reply.code(status).headers(headers).send(body);
};
