import { type ErrorCode, errorBody, errorDetails, errorStatus, type HttpOperation } from '@cardinal/contracts';
import { z } from 'zod';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** Response headers, `#/components/headers`. */
export const headers = {
  'X-Request-Id': { description: 'Id of the request: the caller’s where it sent a sane one.', schema: text },
  ETag: { description: 'The version of the resource as a quoted integer, for `If-Match`.', schema: text },
  Location: { description: 'Path of the new resource.', schema: text },
  'Idempotent-Replayed': {
    description: 'The response is the first one to this `Idempotency-Key`, sent again.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    description:
      'The scheme to authenticate with (RFC 6750). `error` is `invalid_token` where a credential came that is not valid, and `insufficient_scope`, with the `scope` that it takes, where the credential lacks it; there is none where no credential came.',
    schema: { type: 'string', pattern: '^Bearer' },
    examples: {
      missing: { value: 'Bearer' },
      invalid: { value: 'Bearer error="invalid_token"' },
      insufficient: { value: 'Bearer error="insufficient_scope", scope="kanban:write"' },
    },
  },
  'Retry-After': { description: 'Seconds after which to try again.', schema: count },
  'RateLimit-Limit': {
    description: 'Requests in one window, of the user or of the workspace, whichever has less left.',
    schema: count,
  },
  'RateLimit-Remaining': { description: 'Requests left in this window.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next window.', schema: count },
} as const;

/** Headers of every answer to a valid token. */
export const rateLimitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** An example of an optional parameter. Without it the API page would send every one that has a default or an enum. */
export const unchosen = (value: unknown) => ({ default: { value, 'x-disabled': true } });

/** Request headers, `#/components/parameters`. */
export const parameters = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: true,
    description:
      'The `ETag` of the resource as last read, or a list of such, of at most 1,024 characters; weak tags never match.',
    schema: { type: 'string', minLength: 1, maxLength: 1024 },
    example: '"3"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'An `ETag` that the client has, or a list of such, of at most 1,024 characters, or `*`: 304 where it is still the current one.',
    schema: { type: 'string', maxLength: 1024 },
    examples: unchosen('"3"'),
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The `id` that came last, where a stream goes on; it counts for more than `after`.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
    examples: unchosen(1042),
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      '1 to 255 visible ASCII characters, new for each new request. The same key with the same request replays the first response.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    example: 'new-for-each-request',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Comes back in the response and goes into every log line; a new one is made where it is left out.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' },
  },
} as const;

export const headerRefs = (names: readonly (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const parameterRef = (name: keyof typeof parameters) => ({ $ref: `#/components/parameters/${name}` });

interface Entry {
  description: string;
  /** What the client can do. */
  wayOut: string;
  headers?: (keyof typeof headers)[];
  /** The operations that may answer it; all where left out. */
  applies?(operation: HttpOperation): boolean;
}

const isWrite = ({ isRead }: HttpOperation) => !isRead;
const hasBody = ({ body }: HttpOperation) => body !== undefined;
const namesResource = ({ params }: HttpOperation) => Object.keys(params.shape).length > 0;
const requires = (header: HttpOperation['requires'][number]) => (operation: HttpOperation) =>
  operation.requires.includes(header);

/** Each code of the catalogue: when it comes, and what to do then. */
const catalogue: Record<ErrorCode, Entry> = {
  invalid_request: {
    description:
      'Malformed JSON, a body where none may be, a bad query parameter, path id, cursor or header, or a missing or malformed `Idempotency-Key`.',
    wayOut: 'Correct what `message` names; the same request would be refused again.',
  },
  unauthenticated: {
    description: 'No token, or one that does not verify or has expired.',
    wayOut: 'Get a new token, and send the request again.',
    headers: ['WWW-Authenticate'],
  },
  insufficient_scope: {
    description: 'The token lacks the scope, or a comment is somebody else’s, or a board is managed by others.',
    wayOut:
      'Ask with a token that has the scope which the operation names; where a comment or a board is somebody else’s, ask that person.',
    headers: ['WWW-Authenticate'],
  },
  forbidden: {
    description: 'An API key makes, rotates or revokes another one, where the operator has an issuer of tokens.',
    wayOut: 'Use a token of the issuer.',
    applies: () => false,
  },
  not_found: {
    description: 'Unknown, of another workspace, or not visible to the token: the three are never told apart.',
    wayOut:
      'Look at the spelling, and look the id up in a list. Where the workspace or the user of the token is another one, `GET /me` says so.',
    applies: (operation) => namesResource(operation) || hasBody(operation),
  },
  method_not_allowed: {
    description: 'The path has no such method; `Allow` names those that it has.',
    wayOut: 'Take one of them; a fixed word of a path, such as `bulk`, is no id.',
    applies: () => false,
  },
  conflict: {
    description:
      'The state of a resource forbids the write; for a dependency that would close a cycle, `details.path` names its cards.',
    wayOut: 'Read what `message` and `details` name, change that first, and send the request again.',
    applies: isWrite,
  },
  gone: {
    description: 'What followed `after` is not kept any more; `details.oldest` says from where on events are.',
    wayOut: 'Read what you keep anew, and go on with `after` of one less than `details.oldest`.',
    applies: () => false,
  },
  precondition_failed: {
    description:
      'The resource has changed since the version in `If-Match`; `details` has its version, and what changed it.',
    wayOut:
      'Read the resource again, look whether the change still makes sense, and send it with the new `ETag` and, of a POST, a new key.',
    applies: requires('If-Match'),
  },
  payload_too_large: {
    description: 'The body is larger than 1 MiB.',
    wayOut: 'Send less at once; the bytes of files go to `upload.url`.',
    applies: hasBody,
  },
  unsupported_media_type: {
    description: 'The body is not JSON.',
    wayOut: 'Send JSON, with `Content-Type: application/json`.',
    applies: hasBody,
  },
  validation_error: {
    description: 'A field of the body breaks a rule, `details` lists every one; a card cannot depend on itself.',
    wayOut: 'Correct each field that `details` lists.',
    applies: hasBody,
  },
  idempotency_key_reused: {
    description: 'The key belongs to a different request.',
    wayOut: 'Read what was done under it; where the new request is still to be done, take a new key.',
    applies: requires('Idempotency-Key'),
  },
  precondition_required: {
    description: '`If-Match` is missing.',
    wayOut: 'Read the resource, and send its `ETag` as `If-Match`.',
    applies: requires('If-Match'),
  },
  rate_limited: {
    description:
      'Too many requests, or too many bytes answered, for this user of the workspace, or for the workspace; or too many requests without a valid token from this address.',
    wayOut: 'Wait as many seconds as `Retry-After` says, then send the same request with the same key.',
    headers: ['Retry-After'],
  },
  internal: {
    description: 'A fault on our side.',
    wayOut: 'Send the same request once more, with the same key; where it stays, tell the operator the `request_id`.',
  },
  unavailable: {
    description: 'A needed service is out of reach. Nothing is half done: the same request can be sent again.',
    wayOut: 'Wait as many seconds as `Retry-After` says, then send the same request with the same key.',
    headers: ['Retry-After'],
  },
};

const codes = Object.keys(errorStatus) as ErrorCode[];

interface Refusal {
  status: number;
  /** Name in `#/components/responses`. */
  name: string;
  codes: ErrorCode[];
}

const nameOf = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());

/** The error responses of operations by status, with their codes. No operation answers 405. */
const refusals: Refusal[] = [...Map.groupBy(codes, (code) => errorStatus[code])]
  .map(([status, of]) => ({ status, name: nameOf(status === 422 ? 'unprocessable' : String(of[0])), codes: of }))
  .filter(({ name }) => name !== 'MethodNotAllowed');

const describe = ({ codes: of }: Refusal) =>
  of.length === 1
    ? of.map((code) => catalogue[code].description).join()
    : of.map((code) => `\`${code}\`: ${catalogue[code].description}`).join(' ');

const { error: anyError } = errorBody.shape;

/** The body of a refusal. Its own schema, where it has details: converters cannot merge one that narrows another. */
const errorBodyOf = ({ codes: of }: Refusal) => {
  const [details] = of.flatMap((code) =>
    code in errorDetails ? [errorDetails[code as keyof typeof errorDetails]] : [],
  );
  if (!details) return { $ref: '#/components/schemas/Error' };
  const code = z.enum(of).describe('What is wrong, for programs.');
  const error = anyError.extend({
    code,
    details: details.optional().describe('Further details, where there are any.'),
  });
  const { $schema, ...schema } = z.toJSONSchema(z.object({ error }), { io: 'input' });
  return schema;
};

/** `#/components/responses`. */
export const errorResponses = Object.fromEntries(
  refusals.map((refusal) => [
    refusal.name,
    {
      description: describe(refusal),
      headers: headerRefs([
        'X-Request-Id',
        ...(refusal.name === 'Unauthenticated' ? [] : rateLimitHeaders),
        ...refusal.codes.flatMap((code) => catalogue[code].headers ?? []),
      ]),
      content: { 'application/json': { schema: errorBodyOf(refusal) } },
    },
  ]),
);

/** Every error code with its status, its cause and the way out, in Markdown. Each has a heading, so that a search finds it. */
export const errorChapter = codes
  .map((code) => `### ${errorStatus[code]} ${code}\n${catalogue[code].description} ${catalogue[code].wayOut}`)
  .join('\n\n');

/** The refusals that an operation can answer with, by status. */
export const errorsOf = (operation: HttpOperation) => {
  const answers = (code: ErrorCode) =>
    (catalogue[code].applies?.(operation) ?? true) || operation.refusals.includes(code);
  return Object.fromEntries(
    refusals
      .filter(({ codes: of }) => of.some(answers))
      .map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
  );
};
