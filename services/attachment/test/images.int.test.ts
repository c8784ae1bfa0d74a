import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder, whitePng } from '@cardinal/testkit';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode as decodeFile } from '../src/checks/decode.ts';
import { gifOf, picture } from './support/images.ts';

const folder = scratchFolder('images');

const decode = async (bytes: Uint8Array, maxPixels = 1_000_000) => {
  const path = join(folder, randomUUID());
  await writeFile(path, bytes);
  return decodeFile(path, maxPixels);
};

/** Decodes an image that must be valid. */
const decoded = async (bytes: Uint8Array, maxPixels?: number) => {
  const image = await decode(bytes, maxPixels);
  if (typeof image === 'string') throw new Error(`refused: ${image}`);
  return image;
};

const sizes = ({ renditions }: { renditions: { width: number; height: number }[] }) =>
  renditions.map(({ width, height }) => [width, height]);

/** Red, green, blue and, if present, alpha of a rendition's pixel. */
const pixel = async ({ renditions }: { renditions: { webp: Buffer }[] }, left: number, top: number) => {
  const at = sharp(renditions[0]?.webp).extract({ left, top, width: 1, height: 1 });
  return [...(await at.raw().toBuffer())];
};

const isNear = (colour: number[], ...wanted: number[]) => {
  expect(colour).toHaveLength(wanted.length);
  for (const [at, value] of wanted.entries()) expect(Math.abs((colour[at] ?? 0) - value)).toBeLessThan(12);
};

/** 60 by 20 pixels: the left end is red, the rest blue. */
const redAtTheLeft = () => {
  const red = { create: { width: 10, height: 20, channels: 3, background: '#f00' } } as const;
  return sharp({ create: { width: 60, height: 20, channels: 3, background: '#00f' } }).composite([
    { input: red, left: 0, top: 0 },
  ]);
};

describe('an image', () => {
  it.each([
    [1, 60, 20, [2, 10]],
    [2, 60, 20, [57, 10]],
    [3, 60, 20, [57, 10]],
    [4, 60, 20, [2, 10]],
    [5, 20, 60, [10, 2]],
    [6, 20, 60, [10, 2]],
    [7, 20, 60, [10, 57]],
    [8, 20, 60, [10, 57]],
  ] as const)(
    'of EXIF orientation %i is upright, and so are its renditions',
    async (orientation, width, height, red) => {
      const image = await decoded(await redAtTheLeft().withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer());
      expect(image).toMatchObject({ width, height });
      expect(sizes(image)).toEqual([[width, height]]);
      isNear(await pixel(image, red[0], red[1]), 255, 0, 0);
      isNear(await pixel(image, width / 2, height / 2), 0, 0, 255);
    },
  );

  it.each([
    [1, 1, [[1, 1]]],
    [319, 10, [[319, 10]]],
    [320, 3, [[320, 3]]],
    [
      641,
      5,
      [
        [320, 2],
        [640, 5],
        [641, 5],
      ],
    ],
    [1, 5000, [[1, 5000]]],
    [
      16_000,
      1,
      [
        [320, 1],
        [640, 1],
        [1280, 1],
      ],
    ],
  ])('of %i by %i pixels is rendered no larger than it is', async (width, height, wanted) => {
    const image = await decoded(whitePng(width, height));
    expect(image).toMatchObject({ width, height });
    expect(sizes(image)).toEqual(wanted);
    for (const [at, { webp }] of image.renditions.entries()) {
      const { format, ...size } = await sharp(webp).metadata();
      expect([format, size.width, size.height]).toEqual(['webp', ...(wanted[at] ?? [])]);
    }
  });

  const plain = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#a08060' } });
  it.each([
    ['16 bits a channel', () => plain().toColourspace('rgb16').png(), [160, 128, 96]],
    ['CMYK', () => plain().toColourspace('cmyk').jpeg({ quality: 95 }), [160, 128, 96]],
    ['a profile of its own', () => plain().withIccProfile('p3').png(), [160, 128, 96]],
    ['a palette', () => plain().png({ palette: true }), [160, 128, 96]],
    ['grey only', () => plain().greyscale().png(), [132, 132, 132]],
    ['every second row first', () => plain().png({ progressive: true }), [160, 128, 96]],
    ['alpha', () => plain().ensureAlpha(0.5).png(), [160, 128, 96, 127]],
    ['alpha, in AVIF', () => plain().ensureAlpha(0.5).avif({ quality: 90 }), [160, 128, 96, 127]],
  ])('with %s looks as it should', async (_, made, colour) => {
    const image = await decoded(await made().toBuffer());
    expect(image).toMatchObject({ width: 40, height: 30 });
    isNear(await pixel(image, 20, 15), ...colour);
  });

  it('that is animated is rendered as its first frame, however many follow', async () => {
    expect(await decoded(gifOf(10_000, [30, 20]))).toMatchObject({ width: 30, height: 20 });
    const frames = sharp(Buffer.alloc(60 * 40 * 3, 90), {
      raw: { width: 60, height: 40, channels: 3, pageHeight: 20 },
    });
    const webp = await decoded(await frames.webp().toBuffer());
    expect(webp).toMatchObject({ width: 60, height: 20 });
    expect(sizes(webp)).toEqual([[60, 20]]);
  });

  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)('of too many pixels is refused: %s', async (format) => {
    const bytes = await picture(format, 100, 50);
    expect(await decode(bytes, 4_999)).toBe('too_many_pixels');
    expect(await decode(bytes, 5_000)).toMatchObject({ width: 100, height: 50 });
  });

  it('that declares less than it has is refused', async () => {
    expect(await decode(gifOf(1, [10, 10], [60_000, 60_000]))).toBe('too_many_pixels');
    const avif = await picture('avif', 200, 150);
    avif.writeUInt32BE(10, avif.indexOf('ispe') + 8);
    avif.writeUInt32BE(10, avif.indexOf('ispe') + 12);
    expect(await decode(avif)).toBe('broken_image');
  });
});

describe('an incomplete image', () => {
  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)('is refused: %s', async (format) => {
    const bytes = await picture(format, 300, 200);
    expect(await decode(bytes)).toMatchObject({ width: 300, height: 200 });
    for (const part of [0.02, 0.1, 0.5, 0.9, 0.99]) {
      expect(await decode(bytes.subarray(0, bytes.length * part))).toBe('broken_image');
    }
  });

  it.each([false, true])('is refused where a decoder would only warn: JPEG, progressive %s', async (progressive) => {
    const whole = await sharp(await picture('png', 300, 200))
      .jpeg({ progressive })
      .toBuffer();
    const half = whole.subarray(0, whole.length / 2);
    expect(await decode(whole)).toMatchObject({ width: 300 });
    expect(await decode(Buffer.concat([half, Buffer.from([0xff, 0xd9])]))).toBe('broken_image');
    expect(await decode(Buffer.concat([half, whole.subarray(half.length + 500)]))).toBe('broken_image');
    expect(await decode(Buffer.concat([half, Buffer.alloc(whole.length - half.length)]))).toBe('broken_image');
  });

  it('is refused where it was cut between two frames', async () => {
    const frames = { width: 100, height: 300, channels: 3 as const, pageHeight: 100 };
    const noise = await sharp(await picture('png', 100, 300))
      .raw()
      .toBuffer();
    const gif = await sharp(noise, { raw: frames }).gif().toBuffer();
    expect(await decode(gif)).toMatchObject({ width: 100, height: 100 });
    for (const part of [0.4, 0.6, 0.95]) expect(await decode(gif.subarray(0, gif.length * part))).toBe('broken_image');
    expect(await decode(gif.subarray(0, -1))).toBe('broken_image');
    const webp = await sharp(noise, { raw: frames }).webp().toBuffer();
    expect(await decode(webp)).toMatchObject({ width: 100, height: 100 });
    expect(await decode(webp.subarray(0, webp.length * 0.6))).toBe('broken_image');
  });
});
