import { crc32, deflateSync } from 'node:zlib';

/** A chunk of a PNG: its type has four letters. */
export const pngChunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * A white PNG of one bit a pixel: whatever its size, it deflates to nearly nothing.
 * @param extra chunks before those of the pixels
 */
export const whitePng = (width: number, height: number, ...extra: Buffer[]): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const row = 1 + Math.ceil(width / 8);
  const pixels = pngChunk('IDAT', deflateSync(Buffer.alloc(row * height), { level: 1 }));
  return Buffer.concat([signature, pngChunk('IHDR', header), ...extra, pixels, pngChunk('IEND', Buffer.alloc(0))]);
};
