import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { boundsFaultOf } from '../src/checks/image-bounds.ts';
import { jpegOf, picture } from './support/images.ts';

const folder = scratchFolder('bounds');

const faultOf = (...bytes: Uint8Array[]) => {
  const path = join(folder, randomUUID());
  writeFileSync(path, Buffer.concat(bytes));
  return boundsFaultOf(path);
};

/** A box of AVIF, a chunk of WebP. */
const box = (name: string, data: Buffer, length = data.length + 8) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(length);
  head.write(name, 4);
  return Buffer.concat([head, data]);
};
const riff = (name: string, data: Buffer, length = data.length) => {
  const head = Buffer.alloc(8, name);
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, data]);
};
const ftyp = box('ftyp', Buffer.from('avif'));
const webp = riff('RIFF', Buffer.from('WEBP'));

describe('an ordinary image', () => {
  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'is within bounds, whole and cut anywhere: %s',
    async (format) => {
      const bytes = await sharp(await picture(format, 200, 150))
        .withMetadata({ icc: 'p3' })
        .toFormat(format)
        .toBuffer();
      expect(faultOf(bytes)).toBeUndefined();
      for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 50)) {
        // Half a GIF decodes without complaint.
        const isGif = format === 'gif' && at >= 12;
        expect(faultOf(bytes.subarray(0, at))).toBe(isGif ? 'broken_image' : undefined);
      }
    },
  );

  it('is within bounds where it is progressive', async () => {
    const bytes = await sharp(await picture('png', 300, 200))
      .jpeg({ progressive: true })
      .toBuffer();
    expect(faultOf(bytes)).toBeUndefined();
  });

  it('of other formats is not checked', () => {
    expect(faultOf(Buffer.from('hello'))).toBeUndefined();
    expect(faultOf(Buffer.alloc(0))).toBeUndefined();
  });
});

describe('more than an image needs is refused', () => {
  it('scans', () => {
    expect(faultOf(jpegOf(100))).toBeUndefined();
    expect(faultOf(jpegOf(101))).toBe('too_complex');
    expect(faultOf(jpegOf(900))).toBe('too_complex');
  });

  it('frames', () => {
    const frames = (count: number) => Array<Buffer>(count).fill(riff('ANMF', Buffer.alloc(16)));
    expect(faultOf(webp, ...frames(10_000))).toBeUndefined();
    expect(faultOf(webp, ...frames(10_001))).toBe('too_complex');
  });

  it('boxes', () => {
    const boxes = (count: number) => Array<Buffer>(count).fill(box('free', Buffer.alloc(0)));
    expect(faultOf(ftyp, ...boxes(999))).toBeUndefined();
    expect(faultOf(ftyp, ...boxes(1_000))).toBe('too_complex');
  });
});

describe('false lengths', () => {
  it.each([0, 1, 2, 7, 0x7fffffff, 0xffffffff])('end the count: %i', (length) => {
    expect(faultOf(webp, riff('EXIF', Buffer.alloc(4), length))).toBeUndefined();
    expect(faultOf(ftyp, box('meta', Buffer.alloc(4), length))).toBeUndefined();
    const huge = Buffer.alloc(8);
    huge.writeUInt32BE(0xffffffff, 0);
    huge.writeUInt32BE(length, 4);
    expect(faultOf(ftyp, box('meta', huge, 1))).toBeUndefined();
    const segment = Buffer.from([0xff, 0xe1, (length >> 8) & 0xff, length & 0xff]);
    expect(faultOf(jpegOf(1, segment))).toBeUndefined();
  });
});
