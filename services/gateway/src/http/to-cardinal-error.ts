import { CardinalError, type ErrorCode, unavailable } from '@cardinal/contracts';

const codeOfStatus: Partial<Record<number, ErrorCode>> = {
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  503: 'unavailable',
};

const messages: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The request is malformed',
  payload_too_large: 'The body is larger than 1 MiB',
  unsupported_media_type: 'The body must be JSON, with Content-Type: application/json',
  unavailable: 'The service is not available',
};

/** An error of ours that tells the client nothing of the inside. */
const internal = (cause: unknown) =>
  new CardinalError('internal', 'Something went wrong on our side', undefined, { cause });

/** What the system answers where a disk or a quota is full: it passes, as other outages do. */
const isFullDisk = (error: unknown) =>
  ['ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown } | null)?.code));

/**
 * Maps whatever a request ran into to the catalogue. Fastify's own refusals keep their meaning but not their text;
 * everything unknown is `internal`, and so is the text of an `internal` that came from a service.
 */
export const toCardinalError = (error: unknown): CardinalError => {
  if (error instanceof CardinalError) return error.code === 'internal' ? internal(error) : error;
  if (isFullDisk(error)) return unavailable('The service is not available', error);
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (typeof status !== 'number' || status < 400) return internal(error);
  const code = codeOfStatus[status] ?? (status < 500 ? 'invalid_request' : 'internal');
  const message = messages[code];
  return message ? new CardinalError(code, message, undefined, { cause: error }) : internal(error);
};
