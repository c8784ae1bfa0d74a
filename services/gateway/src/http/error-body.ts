import { CardinalError, type ErrorBody, type ErrorCode, errorStatus } from '@cardinal/contracts';

/** Seconds after which a client may try again what was `unavailable`. */
export const retryAfterSeconds = '1';

interface HttpForm {
  status?: number;
  headers?: Record<string, string>;
}

/** An error whose HTTP form says more than its code does, or something else. */
export class HttpError extends CardinalError {
  readonly http: HttpForm;
  constructor(code: ErrorCode, message: string, http: HttpForm) {
    super(code, message);
    this.http = http;
  }
}

/**
 * A 429 with its headers (api-decisions, "Requests, responses, errors").
 * @param limit.seconds after which to try again
 */
export const rateLimited = (message: string, { max, seconds }: { max: number; seconds: string }): HttpError =>
  new HttpError('rate_limited', message, {
    headers: {
      'retry-after': seconds,
      'ratelimit-limit': String(max),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    },
  });

/** The HTTP form of an error: status, headers of its own, and the body (api-decisions, "Requests, responses, errors"). */
export const errorResponse = (error: CardinalError, requestId: string) => {
  const { code, message, details } = error;
  const body: ErrorBody = { error: { code, message, request_id: requestId, ...(details ? { details } : {}) } };
  const headers: Record<string, string> = {};
  if (code === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  if (code === 'unavailable') headers['retry-after'] = retryAfterSeconds;
  const own = error instanceof HttpError ? error.http : {};
  return { status: own.status ?? errorStatus[code], headers: { ...headers, ...own.headers }, body };
};
