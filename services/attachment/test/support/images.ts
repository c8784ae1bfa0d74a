import sharp from 'sharp';

/** An image with so much noise that it is large in any format. */
export const picture = (format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif', width = 400, height = 300) =>
  sharp({
    create: { width, height, channels: 3, background: '#abc', noise: { type: 'gaussian', mean: 120, sigma: 40 } },
  })
    .toFormat(format)
    .toBuffer();

const segment = (marker: number, ...data: number[]) =>
  Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff, ...data]);

/** A grey progressive JPEG of 8 by 8 pixels with so many scans, of which only the first changes something. */
export const jpegOf = (scans: number, ...extra: Buffer[]): Buffer => {
  const codes = Array.from({ length: 16 }, (_, at) => (at === 0 ? 1 : 0));
  const scan = (from: number, to: number) => Buffer.concat([segment(0xda, 1, 1, 0, from, to, 0), Buffer.from([0x7f])]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...extra,
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(0xc2, 8, 0, 8, 0, 8, 1, 1, 0x11, 0),
    segment(0xc4, 0, ...codes, 0),
    segment(0xc4, 0x10, ...codes, 0),
    scan(0, 0),
    ...Array.from({ length: scans - 1 }, () => scan(1, 63)),
    Buffer.from([0xff, 0xd9]),
  ]);
};

/** A GIF of so many frames of one pixel, on a screen of another size. */
export const gifOf = (frames: number, screen: [number, number], frame: [number, number] = [1, 1]): Buffer => {
  const size = ([width, height]: [number, number]) => [width & 0xff, width >> 8, height & 0xff, height >> 8];
  const table = [0, 0, 0, 255, 255, 255];
  const head = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([...size(screen), 0x80, 0, 0, ...table])]);
  const one = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, ...size(frame), 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([head, ...Array.from({ length: frames }, () => one), Buffer.from([0x3b])]);
};

export const svg =
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>';
