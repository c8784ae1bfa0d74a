import { buffer } from 'node:stream/consumers';
import { crc32, createDeflate, deflateSync } from 'node:zlib';
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

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG with every pixel white, whatever its size: one bit a pixel, which deflates to nearly nothing. */
export const hugePng = (width: number, height: number, ...extra: Buffer[]): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const row = 1 + Math.ceil(width / 8);
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(row * height), { level: 1 }));
  return Buffer.concat([signature, chunk('IHDR', header), ...extra, pixels, chunk('IEND', Buffer.alloc(0))]);
};

/** A small PNG with a chunk of metadata that inflates to so many mebibytes. */
export const inflatingPng = async (type: 'iCCP' | 'zTXt', mebibytes: number): Promise<Buffer> => {
  const deflate = createDeflate();
  const deflated = buffer(deflate);
  for (let left = mebibytes; left > 0; left -= 1) deflate.write(Buffer.alloc(1024 * 1024));
  deflate.end();
  return hugePng(8, 8, chunk(type, Buffer.concat([Buffer.from('name\0\0'), await deflated])));
};

/** A GIF of as many frames of one pixel, on a screen of another size. */
export const gifOf = (frames: number, screen: [number, number], frame: [number, number] = [1, 1]): Buffer => {
  const size = ([width, height]: [number, number]) => [width & 0xff, width >> 8, height & 0xff, height >> 8];
  const table = [0, 0, 0, 255, 255, 255];
  const head = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([...size(screen), 0x80, 0, 0, ...table])]);
  const one = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, ...size(frame), 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([head, ...Array.from({ length: frames }, () => one), Buffer.from([0x3b])]);
};

export const svg =
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>';
