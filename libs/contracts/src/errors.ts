import { z } from 'zod';
import { eventTypes } from './event-types.ts';
import { doc, timestamp, uuid } from './scalars.ts';

/** The closed catalogue of error codes (CONTRACT 1.4); `internal` is for our own failures. */
export const errorStatus = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  idempotency_key_reused: 422,
  precondition_required: 428,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/**
 * Details of an error: broken fields, the path of a cycle, the current version, the card with an identifier, or the
 * oldest event kept.
 */
export type ErrorDetails = NonNullable<ErrorBody['error']['details']>;
/** A broken rule of a request body: the field and the message. */
export type FieldIssue = Extract<ErrorDetails, unknown[]>[number];

/** An error with a code of the catalogue. Every layer throws it; only the gateway maps it to HTTP. */
export class CardinalError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CardinalError';
    this.code = code;
    this.details = details;
  }
}

/** The resource does not exist or is not visible to the caller: the answer is the same. */
export const notFound = (what: string) => new CardinalError('not_found', `${what} not found`);

/** Returns what was looked for. @throws CardinalError `not_found` where there is none */
export const requireFound = <Found>(what: string, found: Found | undefined): Found => {
  if (found === undefined) throw notFound(what);
  return found;
};

/** The state of a resource forbids the write. */
export const conflict = (message: string, details?: ErrorDetails) => new CardinalError('conflict', message, details);

/** The details of a 412 between services. The gateway adds the changes for clients. */
export interface StaleVersion {
  current_version: number;
  /** The card of a comment or subtask, the board of a column: their events are in its part of the log. */
  within?: string;
}

/**
 * The writer's `If-Match` names another version than the current one.
 * @param within the card of a comment or subtask, the board of a column
 */
export const preconditionFailed = (currentVersion: number, within?: string) => {
  const details: StaleVersion = { current_version: currentVersion, ...(within !== undefined && { within }) };
  return new CardinalError('precondition_failed', 'The resource has changed since the version in If-Match', details);
};

/**
 * @param within as of {@link preconditionFailed}
 * @throws CardinalError `precondition_failed` where a writer's `If-Match` lacks the version
 */
export const requireVersion = (
  { version }: { version: number },
  accepted: readonly number[],
  within?: string,
): void => {
  if (!accepted.includes(version)) throw preconditionFailed(version, within);
};

/** A body breaks a rule that only the owner of the data can check. */
export const validationError = (issues: FieldIssue[]) =>
  new CardinalError('validation_error', issues.map((issue) => issue.message).join('; '), issues);

/** A needed part does not answer. Nothing is half done, and the same request may be retried. */
export const unavailable = (message: string, cause?: unknown) =>
  new CardinalError('unavailable', message, undefined, { cause });

const codes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]];

const refusal = {
  code: doc(z.enum(codes), 'What is wrong, for programs.', 'validation_error'),
  message: doc(z.string(), 'What is wrong, for people.', 'title: is required'),
};

/** What made a version of a resource. */
export const versionChange = z
  .object({
    version: doc(z.int().min(1), 'The version that it made.', 4),
    type: doc(z.enum(eventTypes), 'The type of its event.', 'card.updated'),
    at: doc(timestamp, 'When it happened.', '2030-01-03T14:05:00.000Z'),
    user_id: doc(uuid, 'Who did it.'),
    changed: doc(z.array(z.string()), 'The fields that differ since, also by the names that a `PATCH` has for them.', [
      'title',
    ]),
  })
  .meta({ description: 'A change that a writer did not know of.' });
export type VersionChange = z.infer<typeof versionChange>;

/** Details of an error response, by code. */
export const errorDetails = {
  validation_error: z.array(
    z.object({
      path: doc(z.array(z.union([z.string(), z.number()])), 'Where: names of fields, from outside.'),
      message: doc(z.string(), 'The rule that it breaks, in words.'),
    }),
  ),
  conflict: z.object({ path: doc(z.array(z.string()), 'Identifiers of the cards of the cycle.') }),
  precondition_failed: z.object({
    current_version: doc(z.int().min(0), 'The version that the resource has now.'),
    changes: doc(
      z.array(versionChange).optional(),
      'What changed it since the version in `If-Match`, oldest first, the newest 100. Left out for one of many cards.',
    ),
    complete: doc(
      z.boolean().optional(),
      'Whether `changes` has every change. False where the log does not reach back, or is not up to date within 100 ms.',
      true,
    ),
  }),
  gone: z.object({ oldest: doc(z.int().min(0), 'The `seq` of the oldest event that is kept.') }),
} satisfies { [Code in ErrorCode]?: z.ZodType };

const details = doc(
  z.union([
    errorDetails.validation_error,
    errorDetails.conflict,
    errorDetails.precondition_failed,
    z.object({ identifier: z.string(), card_id: uuid.nullable() }),
    errorDetails.gone,
  ]),
  'Further details, where there are any: broken fields, the cards of a cycle, the current version, the card that has an identifier, or the oldest event that is kept.',
  [{ path: ['title'], message: 'is required' }],
);

/** Why one of several requested things was not done. */
export const itemError = z
  .object({ ...refusal, details: details.optional() })
  .meta({ id: 'ItemError', description: 'Why one of several things was not done.' });

/** The body of every error response (CONTRACT 1.4). */
export const errorBody = z
  .object({
    error: doc(
      z.object({
        ...refusal,
        request_id: doc(z.string(), 'The `X-Request-Id` of the answer.', '4f0c9a1e-0c2b-4b53-8f5c-0a3a1f0c7d2e'),
        details: details.optional(),
      }),
      'What went wrong.',
    ),
  })
  .meta({ id: 'Error', description: 'Every error has this shape.' });
export type ErrorBody = z.infer<typeof errorBody>;
