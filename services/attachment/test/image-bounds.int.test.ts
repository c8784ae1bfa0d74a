import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { boundsFaultOf } from '../src/checks/image-bounds.ts';
import { chunk, deflated, gifOf, hugePng, jpegOf, picture } from './support/images.ts';

const folder = scratchFolder('bounds');
const mebibyte = 1024 * 1024;

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

const pngWith = (...chunks: Buffer[]) => hugePng(10, 10, ...chunks);
const zTXt = async (bytes: number) => chunk('zTXt', Buffer.concat([Buffer.from('name\0\0'), await deflated(bytes)]));
const iTXt = async (bytes: number) =>
  chunk('iTXt', Buffer.concat([Buffer.from('name\0\x01\0en\0Name\0'), await deflated(bytes)]));
const iCCP = async (bytes: number) => chunk('iCCP', Buffer.concat([Buffer.from('name\0\0'), await deflated(bytes)]));
const tEXt = (bytes: number) => chunk('tEXt', Buffer.alloc(bytes, 'x'));

describe('an image as they are', () => {
  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'is within bounds, whole and cut anywhere: %s',
    async (format) => {
      const bytes = await sharp(await picture(format, 200, 150))
        .withMetadata({ icc: 'p3' })
        .toFormat(format)
        .toBuffer();
      expect(faultOf(bytes)).toBeUndefined();
      for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 50)) {
        // Half a chunk of metadata inflates no further, half a GIF decodes without complaint.
        expect([undefined, 'broken_image']).toContain(faultOf(bytes.subarray(0, at)));
      }
    },
  );

  it('is within bounds where it is progressive', async () => {
    const bytes = await sharp(await picture('png', 300, 200))
      .jpeg({ progressive: true })
      .toBuffer();
    expect(faultOf(bytes)).toBeUndefined();
  });

  it('of other kinds is not looked at', () => {
    expect(faultOf(Buffer.from('hello'))).toBeUndefined();
    expect(faultOf(Buffer.alloc(0))).toBeUndefined();
  });
});

describe('more than a picture needs is refused', () => {
  it('texts that inflate to 20 MB each', async () => {
    const bomb = pngWith(...Array(20).fill(await zTXt(20_000_000)));
    expect(bomb.length).toBeLessThan(500_000);
    expect(faultOf(bomb)).toBe('too_complex');
  });

  it.each([
    ['zTXt', zTXt],
    ['iTXt', iTXt],
    ['iCCP', iCCP],
  ])('metadata of more than 16 MiB, in one and in all: %s', async (_, made) => {
    expect(faultOf(pngWith(await made(16 * mebibyte)))).toBeUndefined();
    expect(faultOf(pngWith(await made(16 * mebibyte + 1)))).toBe('too_complex');
    const four = await made(4 * mebibyte);
    expect(faultOf(pngWith(four, four, four, four))).toBeUndefined();
    expect(faultOf(pngWith(four, four, four, four, tEXt(1)))).toBe('too_complex');
  });

  it('what does not inflate', async () => {
    const broken = await zTXt(1000);
    broken.fill(0xff, 16);
    expect(faultOf(pngWith(broken))).toBe('broken_image');
  });

  it('metadata in many pieces', () => {
    const texts = (count: number) => Array<Buffer>(count).fill(tEXt(1));
    expect(faultOf(pngWith(...texts(1_000)))).toBeUndefined();
    expect(faultOf(pngWith(...texts(1_001)))).toBe('too_complex');
    const comment = Buffer.from([0xff, 0xfe, 0, 3, 0]);
    expect(faultOf(jpegOf(1, ...Array(1_001).fill(comment)))).toBe('too_complex');
    expect(faultOf(webp, ...Array(1_001).fill(riff('EXIF', Buffer.alloc(2))))).toBe('too_complex');
    expect(faultOf(ftyp, ...Array(1_000).fill(box('free', Buffer.alloc(0))))).toBe('too_complex');
  });

  it('metadata that is large as it is', () => {
    const much = Buffer.alloc(17 * mebibyte);
    expect(faultOf(pngWith(tEXt(17 * mebibyte)))).toBe('too_complex');
    expect(faultOf(webp, riff('XMP ', much))).toBe('too_complex');
    expect(faultOf(ftyp, box('meta', much))).toBe('too_complex');
    expect(faultOf(ftyp, box('mdat', much))).toBeUndefined();
  });

  it('scans', () => {
    expect(faultOf(jpegOf(100))).toBeUndefined();
    expect(faultOf(jpegOf(101))).toBe('too_complex');
    expect(faultOf(jpegOf(900))).toBe('too_complex');
  });

  it('frames', () => {
    expect(faultOf(gifOf(10_000, [9, 9]))).toBeUndefined();
    expect(faultOf(gifOf(10_001, [9, 9]))).toBe('too_complex');
    expect(faultOf(pngWith(...Array(10_001).fill(chunk('fcTL', Buffer.alloc(26)))))).toBe('too_complex');
    expect(faultOf(webp, ...Array(10_001).fill(riff('ANMF', Buffer.alloc(16))))).toBe('too_complex');
  });
});

describe('lengths that lie', () => {
  it.each([0, 1, 2, 7, 0x7fffffff, 0xffffffff])('lead nowhere: %i', (length) => {
    const lying = chunk('tEXt', Buffer.alloc(4));
    lying.writeUInt32BE(length, 0);
    expect(faultOf(pngWith(lying))).toBeUndefined();
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
