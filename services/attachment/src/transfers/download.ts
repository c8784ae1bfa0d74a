import type { IncomingHttpHeaders } from 'node:http';
import { notFound, requireFound } from '@cardinal/contracts';
import { HttpError } from '@cardinal/edge';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRaster } from '../checks/rules.ts';
import type { ServiceContext } from '../context.ts';
import { findFile } from '../files/queries.ts';
import type { ByteRange } from '../storage/storage.ts';
import type { Address } from './signed-urls.ts';

/** Finds the requested bytes. Those of a clean file never change, so their tag is made of ids. */
const find = async ({ db }: ServiceContext, { workspaceId, fileId, what }: Address) => {
  const file = await db.read((tx) => findFile(tx, workspaceId, fileId));
  // The URL outlives the file: only a file that is clean now is sent.
  if (file?.status !== 'clean' || !file.storage_key) throw notFound('File');
  if (what === 'content') {
    const { storage_key: key, name, content_type: type, size } = file;
    return { key, name, type: type ?? 'application/octet-stream', size: size ?? undefined, etag: `"${fileId}"` };
  }
  const rendition = file.renditions.find((candidate) => what === `renditions/${candidate.width}`);
  const { key, size, width } = requireFound('File', rendition);
  return { key, name: `${file.name}.webp`, type: 'image/webp', size, etag: `"${fileId}-${width}"` };
};

/**
 * Sends a clean file or a rendition, streamed, whole or the requested part.
 * @throws CardinalError `not_found`
 */
export const download = async (
  context: ServiceContext,
  at: Address,
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> => {
  const { key, name, type, size, etag } = await find(context, at);
  const kept = { etag, 'cache-control': 'private, max-age=300' };
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).headers(kept).send();
  const range = method === 'GET' && size !== undefined ? rangeOf(headers, etag, size) : undefined;
  if (range === null) {
    const options = { status: 416, headers: { 'content-range': `bytes */${size}` } };
    throw new HttpError('invalid_request', `The file has ${size} bytes`, options);
  }
  const length = range ? range.end - range.start + 1 : size;
  const outgoing = {
    ...kept,
    'content-type': type,
    'content-disposition': dispositionOf(name, isRaster(type)),
    'cross-origin-resource-policy': 'cross-origin',
    ...(length === undefined ? {} : { 'accept-ranges': 'bytes', 'content-length': length }),
    ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${size}` } : {}),
  };
  if (method === 'HEAD') return reply.headers(outgoing).send();
  const bytes = await context.storage.read(key, range);
  // Deleted just now.
  if (!bytes) throw notFound('File');
  return reply
    .code(range ? 206 : 200)
    .headers(outgoing)
    .send(bytes);
};

/** One part: from a byte on, to another, or the last so many. */
const onePart = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * The part that a `Range` requests (RFC 9110, 14.2). Several parts, other units and malformed ones are ignored, as is a
 * range of bytes that have changed since.
 * @returns undefined for everything, null where there is no such part
 */
export const rangeOf = (asked: IncomingHttpHeaders, etag: string, size: number): ByteRange | null | undefined => {
  const { range = '', 'if-range': ifRange = etag } = asked;
  const [matches, first = '', last, suffix] = onePart.exec(range) ?? [];
  if (matches === undefined || ifRange !== etag) return undefined;
  const start = suffix === undefined ? Number(first) : Math.max(0, size - Number(suffix));
  const end = last ? Number(last) : size - 1;
  if (start > end && last) return undefined;
  return start < size ? { start, end: Math.min(end, size - 1) } : null;
};

/** Whether the client has it already, by `If-None-Match` (RFC 9110, 13.1.2). */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;

/** Control characters, path separators, and characters that change the direction of text. */
const deceptive = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Characters of RFC 8187 `attr-char` stay, all others are percent-encoded. */
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** The name for old clients, in plain ASCII. */
const plain = (name: string) => name.replace(/[^\x20-\x7e]|["%]/g, '_');

/**
 * Makes the `Content-Disposition` of a download (RFC 6266). Only raster images are shown inline; everything else is
 * downloaded, so that the browser's viewers never open it. The name is a plain file name without a path, in any
 * characters.
 */
export const dispositionOf = (name: string, isShown: boolean): string => {
  const safe = name.replace(deceptive, '_');
  return `${isShown ? 'inline' : 'attachment'}; filename="${plain(safe)}"; filename*=UTF-8''${encoded(safe)}`;
};
