import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A picture with so much noise that it is large whatever the format. */
export const picture = (format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif', width = 800, height = 600) =>
  sharp({
    create: { width, height, channels: 3, background: '#abc', noise: { type: 'gaussian', mean: 120, sigma: 40 } },
  })
    .toFormat(format)
    .toBuffer();

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

/** A PNG with every pixel white, whatever its size: one bit a pixel, which deflates to nearly nothing. */
export const hugePng = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const row = 1 + Math.ceil(width / 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = deflateSync(Buffer.alloc(row * height), { level: 1 });
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
};

export const svg =
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>';
