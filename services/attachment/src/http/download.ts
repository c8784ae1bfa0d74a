import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { notFound } from '@cardinal/contracts';
import { dispositionOf } from '../domain/disposition.ts';
import { isRaster } from '../domain/raster.ts';
import type { Parts } from '../parts.ts';
import { getFile } from '../store/files.ts';
import type { Address } from './address.ts';

/** What goes out. */
interface Outgoing {
  key: string;
  name: string;
  type: string;
  size: number | undefined;
}

const find = async ({ db }: Parts, { workspaceId, fileId, what, width }: Address): Promise<Outgoing> => {
  const file = await db.read((tx) => getFile(tx, workspaceId, fileId));
  // The URL outlives the file: only what is clean now goes out.
  if (file?.status !== 'clean' || !file.storage_key) throw notFound('File');
  if (what === 'content') {
    const { storage_key: key, name, content_type: type, size } = file;
    return { key, name, type: type ?? 'application/octet-stream', size: size ?? undefined };
  }
  const rendition = file.renditions.find((candidate) => candidate.width === width);
  if (!rendition) throw notFound('File');
  return { key: rendition.key, name: `${file.name}.webp`, type: 'image/webp', size: undefined };
};

/** A clean file or a rendition goes out, streamed. @throws CardinalError `not_found` */
export const download = async (parts: Parts, at: Address, request: IncomingMessage, response: ServerResponse) => {
  const { key, name, type, size } = await find(parts, at);
  const bytes = await parts.storage.read(key);
  // Deleted just now.
  if (!bytes) throw notFound('File');
  response.writeHead(200, {
    'content-type': type,
    'content-disposition': dispositionOf(name, isRaster(type)),
    ...(size === undefined ? {} : { 'content-length': size }),
    'cache-control': 'private, max-age=3600',
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (request.method === 'HEAD') {
    bytes.destroy();
    response.end();
    return;
  }
  await pipeline(bytes, response);
};
