import { type CardinalError, type ErrorBody, errorStatus } from '@cardinal/contracts';

/** Seconds after which a client may try again what was `unavailable`. */
export const retryAfterSeconds = '1';

/** The HTTP form of an error: status, headers of its own, and the body (api-decisions, "Requests, responses, errors"). */
export const errorResponse = (error: CardinalError, requestId: string) => {
  const { code, message, details } = error;
  const body: ErrorBody = { error: { code, message, request_id: requestId, ...(details ? { details } : {}) } };
  const headers: Record<string, string> = {};
  if (code === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  if (code === 'unavailable') headers['retry-after'] = retryAfterSeconds;
  const { status = errorStatus[code] } = error as { status?: number };
  return { status, headers, body };
};
