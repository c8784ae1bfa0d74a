import { type ErrorCode, errorStatus, type HttpOperation, idempotencyKeyRule } from '@cardinal/contracts';
import { z } from 'zod';
import { type PreconditionDetails, Refusal } from './refusals.ts';

/** The argument of a call that is its idempotency key. */
export const idempotencyKey = z
  .string()
  .regex(idempotencyKeyRule.pattern, idempotencyKeyRule.words)
  .optional()
  .describe('A text of yours for this one change: calling again with it does nothing twice.');

/** The argument of a call that is the version of what it changes. */
export const version = z
  .int()
  .min(1)
  .optional()
  .describe(
    'The version that you read: refused where it has changed since, an edit only where the same field has. Left out, the current one is read first.',
  );

/** A request of the API as a tool makes it. */
export interface ApiRequest {
  /** The operation's id. */
  operation: string;
  method: string;
  /** Below the API's prefix, with its query. */
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

interface ApiAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  /** Parsed; undefined where there is none. */
  body: unknown;
}

/** Sends a request with the token of the tools' caller. May throw a {@link Refusal} where no answer comes. */
export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

/** The values of a call for each part of a request. */
export interface Call {
  params: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
  /** The version that the writer has read; where there is none, the current one is read. */
  version?: unknown;
  /** Its idempotency key; a new one where there is none. */
  key?: unknown;
}

/** The result of a call. */
export interface Outcome {
  data: unknown;
  page?: unknown;
  /** Whether it is a replay under the same idempotency key. */
  isReplay: boolean;
  notes: string[];
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && code in errorStatus;

/** The refusal in an answer of 400 and above. */
const refusalOf = ({ status, headers, body }: ApiAnswer): Refusal => {
  const { code, message, details, request_id } = (body as { error?: Record<string, unknown> } | undefined)?.error ?? {};
  if (!isCode(code)) return new Refusal('internal', `Something that is not Cardinal answered ${status}`);
  return new Refusal(code, String(message), {
    details,
    requestId: String(request_id),
    retryAfter: headers['retry-after'],
  });
};

const filled = (path: string, params: Call['params']): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || value === '')
      throw new Refusal('invalid_request', `${name}: is required, as text`);
    // In a URL they would lead to another path.
    if (value === '.' || value === '..') throw new Refusal('not_found', `${name}: ${value} is none`);
    return encodeURIComponent(value);
  });

const queryOf = (query: Call['query'] = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== undefined && one !== null)
      .map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs).toString().replaceAll('+', '%20')}` : '';
};

/** @throws Refusal where the API refuses */
const send = async (
  api: Api,
  { id, method }: Pick<HttpOperation, 'id' | 'method'>,
  rest: Omit<ApiRequest, 'operation' | 'method'>,
) => {
  const answer = await api({ operation: id, method, ...rest });
  if (answer.status >= 400) throw refusalOf(answer);
  return answer;
};

/**
 * Times that an edit is sent again with a newer version: each of these 412 means that another writer got on. And times that it
 * is sent again as it was, where the service did not know all changes yet.
 */
const [maxRepeats, maxUnknown] = [16, 3];

/**
 * Sends a PATCH, and sends it again with the current version where others changed other fields since (CONTRACT 3.2).
 * @param notes receives what others changed
 * @throws Refusal where the API refuses; of a 412 with the fields of the patch
 */
const sendMerging = async (
  api: Api,
  operation: HttpOperation,
  rest: Omit<ApiRequest, 'operation' | 'method'>,
  notes: string[],
): Promise<ApiAnswer> => {
  const patched = Object.keys(rest.body ?? {});
  const merged = new Set<string>();
  for (let [repeats, unknown] = [0, 0]; ; ) {
    try {
      const answer = await send(api, operation, rest);
      if (merged.size > 0) notes.push(`Others changed ${[...merged].join(', ')} meanwhile; both changes are in.`);
      return answer;
    } catch (refusal) {
      if (!(refusal instanceof Refusal && refusal.code === 'precondition_failed')) throw refusal;
      const { current_version, changes = [], complete } = refusal.details as PreconditionDetails;
      const others = changes.flatMap(({ changed }) => changed);
      if (complete) repeats += 1;
      else unknown += 1;
      const isApart = !others.some((field) => patched.includes(field));
      if (!isApart || repeats > maxRepeats || unknown > maxUnknown) throw refusal.ofPatch(patched);
      if (!complete) continue;
      rest.headers['if-match'] = `"${current_version}"`;
      for (const field of others) merged.add(field);
    }
  }
};

/** The path for reading the resource that a command with `If-Match` changes: up to its last parameter. */
export const readPathOf = (path: string): string => path.replace(/^(.*:\w+).*$/, '$1');

const versionOf = ({ headers, body }: ApiAnswer): string | undefined => {
  const { version } = (body as { data?: { version?: number } } | undefined)?.data ?? {};
  // A proxy that compresses an answer makes `W/"3"` or `"3-gzip"` of it, which no `If-Match` matches (RFC 9110, 13.1.1).
  const inTag = /^(?:W\/)?"(\d+)/.exec(headers.etag ?? '')?.[1] ?? version;
  return inTag === undefined ? undefined : `"${inTag}"`;
};

/** Codes after which the request may have been carried out, and may be repeated. */
const isOpen = ({ code }: Refusal) => ['connection_failed', 'unavailable', 'internal'].includes(code);

/** Checks values that become headers. @throws Refusal for values that `Idempotency-Key` or `If-Match` cannot have */
const checkHeaders = (call: Call): void => {
  const isKey = idempotencyKey.safeParse(call.key).success;
  if (!isKey) throw new Refusal('invalid_request', `idempotency_key: ${idempotencyKeyRule.words}`);
  const isVersion = call.version === undefined || /^\d+$/.test(String(call.version));
  if (!isVersion) throw new Refusal('invalid_request', 'version: must be a whole number');
};

/** Asks for an operation. @throws Refusal where it is refused */
export const perform = async (api: Api, operation: HttpOperation, call: Call): Promise<Outcome> => {
  const { path, requires, reply } = operation;
  const { params, query, body, version: read, key = crypto.randomUUID() } = call;
  if (reply.kind === 'stream') throw new Refusal('invalid_request', `${operation.id} is a stream; call listEvents`);
  checkHeaders(call);
  const notes: string[] = [];
  const headers: Record<string, string> = {};
  if (requires.includes('Idempotency-Key')) headers['idempotency-key'] = String(key);
  if (requires.includes('If-Match')) {
    headers['if-match'] = `"${read}"`;
    if (read === undefined) {
      const reading = { id: `${operation.id}, read first`, method: 'GET' } as const;
      const etag = versionOf(await send(api, reading, { path: filled(readPathOf(path), params), headers: {} }));
      headers['if-match'] = etag ?? '';
      notes.push(`No version was given: the current one, ${etag}, was read just before and changed.`);
    }
  }
  const rest = { path: filled(path, params) + queryOf(query), headers, ...(body === undefined ? {} : { body }) };
  const isEdit = operation.method === 'PATCH';
  const sending = isEdit ? sendMerging(api, operation, rest, notes) : send(api, operation, rest);
  const answer = await sending.catch((refusal: unknown) => {
    if (!(refusal instanceof Refusal && isOpen(refusal) && headers['idempotency-key'])) throw refusal;
    const ifMatch = headers['if-match'] && { version: Number(headers['if-match'].replaceAll('"', '')) };
    throw refusal.thatMayBeRepeatedWith({ idempotency_key: headers['idempotency-key'], ...ifMatch });
  });
  const isReplay = answer.headers['idempotent-replayed'] === 'true';
  if (isReplay) notes.push('Done before under this idempotency key: nothing was done anew.');
  if (reply.kind === 'redirect') return { data: { url: answer.headers.location }, isReplay, notes };
  const { data = null, page } = (answer.body ?? {}) as { data?: unknown; page?: unknown };
  return { data, ...(page === undefined ? {} : { page }), isReplay, notes };
};
