import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { notFound } from '@cardinal/contracts';
import { isKnown, rangeOf } from '../domain/byte-range.ts';
import { dispositionOf } from '../domain/disposition.ts';
import { isRaster } from '../domain/raster.ts';
import type { Parts } from '../parts.ts';
import { getFile } from '../store/files.ts';
import type { Address } from './address.ts';
import { sendNoSuchRange } from './answer.ts';

/** What goes out. */
interface Outgoing {
  key: string;
  name: string;
  type: string;
  size: number | undefined;
  /** The bytes of a clean file never change. */
  etag: string;
}

const find = async ({ db }: Parts, { workspaceId, fileId, what, width }: Address): Promise<Outgoing> => {
  const file = await db.read((tx) => getFile(tx, workspaceId, fileId));
  // The URL outlives the file: only what is clean now goes out.
  if (file?.status !== 'clean' || !file.storage_key) throw notFound('File');
  if (what === 'content') {
    const { storage_key: key, name, content_type: type, size } = file;
    return { key, name, type: type ?? 'application/octet-stream', size: size ?? undefined, etag: `"${fileId}"` };
  }
  const rendition = file.renditions.find((candidate) => candidate.width === width);
  if (!rendition) throw notFound('File');
  const { key, size } = rendition;
  return { key, name: `${file.name}.webp`, type: 'image/webp', size, etag: `"${fileId}-${width}"` };
};

/**
 * A clean file or a rendition goes out, streamed, whole or the part that the client asks for.
 * @throws CardinalError `not_found`
 */
export const download = async (parts: Parts, at: Address, request: IncomingMessage, response: ServerResponse) => {
  const { key, name, type, size, etag } = await find(parts, at);
  const { headers, method } = request;
  const kept = { etag, 'cache-control': 'private, max-age=300' };
  if (isKnown(headers['if-none-match'], etag)) {
    response.writeHead(304, kept).end();
    return;
  }
  const range = method === 'GET' && size !== undefined ? rangeOf(headers, etag, size) : undefined;
  if (range === null) return sendNoSuchRange(response, size ?? 0);
  const length = range ? range.end - range.start + 1 : size;
  const outgoing = {
    ...kept,
    'content-type': type,
    'content-disposition': dispositionOf(name, isRaster(type)),
    'cross-origin-resource-policy': 'cross-origin',
    ...(length === undefined ? {} : { 'accept-ranges': 'bytes', 'content-length': length }),
    ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${size}` } : {}),
  };
  if (method === 'HEAD') {
    response.writeHead(200, outgoing).end();
    return;
  }
  const bytes = await parts.storage.read(key, range);
  // Deleted just now.
  if (!bytes) throw notFound('File');
  response.writeHead(range ? 206 : 200, outgoing);
  await pipeline(bytes, response, { signal: AbortSignal.timeout(parts.limits.transferTimeoutMs) });
};
