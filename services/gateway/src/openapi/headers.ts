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
  'WWW-Authenticate': { description: 'The scheme to authenticate with.', schema: { type: 'string', const: 'Bearer' } },
  Allow: { description: 'Methods that the path knows.', schema: text },
  'Retry-After': { description: 'Seconds after which to try again.', schema: count },
  'RateLimit-Limit': { description: 'Requests in one window.', schema: count },
  'RateLimit-Remaining': { description: 'Requests left in this window.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next window.', schema: count },
} as const;

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
    example: '"3"',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      '1 to 255 visible ASCII characters, new for each new request. The same key with the same request replays the first response.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
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
