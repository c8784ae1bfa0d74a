import type { ErrorBody, ErrorCode } from '@cardinal/contracts';

/** What an error tells beyond its code: broken fields, the path of a cycle, or the current version. */
export type ApiErrorDetails = ErrorBody['error']['details'];

/** A code of the catalogue; a newer service may know more. `unexpected_response`: the answer is no answer of Cardinal. */
export type ApiErrorCode = ErrorCode | 'unexpected_response' | (string & {});

interface ApiErrorFacts {
  status: number;
  code: ApiErrorCode;
  message: string;
  requestId: string | undefined;
  details: ApiErrorDetails;
  attempts: number;
}

/** The service answered with an error (api-decisions, "Requests, responses, errors"). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;
  /** Quote it when asking for help: every log line of the request carries it. */
  readonly requestId: string | undefined;
  readonly details: ApiErrorDetails;
  /** How often the request was sent. Above 1 a 412, or the 404 of a delete, may speak of an earlier sending's own effect. */
  readonly attempts: number;

  constructor(facts: ApiErrorFacts) {
    super(`${facts.message} (${facts.code}, ${facts.status})`);
    this.name = 'ApiError';
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.attempts = facts.attempts;
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'object' &&
  body.error !== null &&
  'code' in body.error &&
  typeof body.error.code === 'string';

/**
 * Reads an answer that is no success.
 * @param body the parsed JSON of the answer, undefined where it was none (a proxy's page, say)
 * @param attempts how often the request was sent, this time included
 */
export const apiErrorOf = (response: Response, body: unknown, attempts: number): ApiError => {
  const header = response.headers.get('x-request-id') ?? undefined;
  const facts = isErrorBody(body)
    ? { ...body.error, requestId: body.error.request_id ?? header, details: body.error.details }
    : {
        code: 'unexpected_response',
        // Without the query, which may hold a signature.
        message: `${response.url.split('?', 1)[0]} answered without a Cardinal body`,
        requestId: header,
        details: undefined,
      };
  return new ApiError({ ...facts, status: response.status, attempts });
};
