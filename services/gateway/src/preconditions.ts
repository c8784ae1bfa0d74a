import { CardinalError } from '@cardinal/contracts';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The versions of `If-Match`, where the operation requires it. */
    ifMatch: number[];
    /** What `If-None-Match` says, where the operation answers it. */
    ifNoneMatch: KnownVersions | undefined;
  }
}

interface EntityTag {
  weak: boolean;
  opaque: string;
}

/** Blanks are matched in one place for members with and without a tag, so the expression never backtracks over them. */
const member = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** Reads a list of entity tags (RFC 9110 8.8.3 and 5.6.1; empty members are skipped); undefined where it is none. */
const parseEntityTags = (header: string): EntityTag[] | undefined => {
  const tags: EntityTag[] = [];
  member.lastIndex = 0;
  while (member.lastIndex < header.length) {
    const match = member.exec(header);
    if (!match) return undefined;
    if (match[2] !== undefined) tags.push({ weak: match[1] !== undefined, opaque: match[2] });
  }
  return tags.length > 0 ? tags : undefined;
};

/** The most characters of a header that the gateway reads; tokens may have more. */
export const maxHeaderLength = 1024;
const maxTokenLength = 8 * 1024;

/**
 * The headers that this code, its framework or Node read, beside `Authorization`. `X-Request-Id` and `traceparent` are
 * not refused either: invalid ones are ignored. All others are not checked here (ADR 0011); Node bounds the whole of
 * them at 16 KiB.
 */
const read = [
  'if-match',
  'if-none-match',
  'idempotency-key',
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'host',
  'origin',
  'access-control-request-method',
  'access-control-request-headers',
  'range',
  'if-range',
  'last-event-id',
] as const;

/** @throws CardinalError `invalid_request`, naming the header (given in lower case), where the value is overlong */
export const checkHeaderLength = (name: string, value: string): void => {
  const most = name === 'authorization' ? maxTokenLength : maxHeaderLength;
  if (value.length <= most) return;
  const written = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  throw new CardinalError('invalid_request', `${written} must have at most ${most} characters`);
};

const malformed = () =>
  new CardinalError('invalid_request', 'If-Match must be a quoted version such as "3", or a list of them');

/**
 * The versions that a writer accepts (CONTRACT 3.2; RFC 9110 13.1.1): those of strong tags that a resource can have. An empty
 * list matches no version.
 * @throws CardinalError `invalid_request` for `*`, and for a value that is no list of tags
 */
export const parseIfMatch = (header: string): number[] => {
  const tags = parseEntityTags(header);
  if (!tags) throw malformed();
  const versions = new Set<number>();
  for (const { weak, opaque } of tags) {
    if (weak || !/^[0-9]+$/.test(opaque)) continue;
    const version = Number(opaque);
    // Tags are compared octet by octet: "07" is not the tag of version 7.
    if (Number.isSafeInteger(version) && version >= 1 && String(version) === opaque) versions.add(version);
  }
  return [...versions];
};

/** The tag of a version as a compressing proxy writes it: weak (nginx, Cloudflare), or followed by the coding (Apache, Jetty). */
const changed = /^([1-9][0-9]*)(?:\D.*)?$/;

/**
 * The message of a 412 whose cause is not a changed resource: no tag can match, or a proxy changed the one that would match
 * (RFC 9110, 13.1.1 and 8.8.3). Undefined where the tags are of older versions.
 * @param current version of the resource
 */
export const mismatchOf = (header: string, current: number): string | undefined => {
  const tags = parseEntityTags(header) ?? [];
  const unusable = tags.filter(({ weak, opaque }) => weak || parseIfMatch(`"${opaque}"`).length === 0);
  const numberOf = ({ opaque }: EntityTag) => Number(changed.exec(opaque)?.[1]);
  const tag =
    unusable.find((one) => numberOf(one) === current) ?? (unusable.length === tags.length ? tags[0] : undefined);
  if (!tag) return undefined;
  const written = `${tag.weak ? 'W/' : ''}"${tag.opaque}"`;
  const version = numberOf(tag);
  if (Number.isNaN(version))
    return `If-Match has ${written}, which no version has; send that of the resource, such as "${current}"`;
  const reason = tag.weak ? 'is a weak tag, which never matches' : 'is no tag of this API';
  const wayOut = version === current ? `send "${version}"` : 'besides, the resource has changed since that version';
  return `If-Match: ${written} ${reason}; proxies that compress make that of "${version}": ${wayOut}`;
};

/** What a client has, by its `If-None-Match`: some versions, or any. */
export type KnownVersions = EntityTag[] | '*';

/** Reads `If-None-Match` (RFC 9110 13.1.2). @throws CardinalError `invalid_request` where it is malformed */
export const parseIfNoneMatch = (header: string): KnownVersions => {
  if (header.trim() === '*') return '*';
  const tags = parseEntityTags(header);
  if (!tags) throw new CardinalError('invalid_request', 'If-None-Match must be * or a list of entity tags');
  return tags;
};

/** Whether the client already has this version; tags are compared weakly. */
export const alreadyHas = (known: KnownVersions, version: number): boolean =>
  known === '*' || known.some((tag) => tag.opaque === String(version));

/** Requires `If-Match`, with any value. */
export const requireIfMatch = ({ headers }: FastifyRequest): void => {
  if (headers['if-match'] !== undefined) return;
  throw new CardinalError('precondition_required', 'If-Match with the version of the resource is required');
};

/** Refuses overlong headers before any of them is parsed. */
export const boundHeaders = ({ headers }: FastifyRequest): void => {
  for (const name of read) {
    const value = headers[name];
    if (value !== undefined) checkHeaderLength(name, String(value));
  }
};

/** Sets `request.ifMatch`, after {@link requireIfMatch}. */
export const readIfMatch = (request: FastifyRequest): void => {
  request.ifMatch = parseIfMatch(request.headers['if-match'] ?? '');
};

/** Sets `request.ifNoneMatch`; a malformed one is refused before the resource is requested. */
export const readIfNoneMatch = (request: FastifyRequest): void => {
  const header = request.headers['if-none-match'];
  request.ifNoneMatch = header === undefined ? undefined : parseIfNoneMatch(header);
};
