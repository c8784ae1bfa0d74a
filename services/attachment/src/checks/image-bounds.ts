import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Passes over the coefficients of a progressive JPEG; encoders make ten or so. */
const maxScans = 100;
/** Frames of a WebP, each of which the decoder looks at though the first one alone is shown. */
const maxFrames = 10_000;
/** Boxes of an AVIF beside one another, for each of which the decoder looks at the file anew. */
const maxBoxes = 1_000;

/**
 * Counts what makes decoders work out of proportion to the pixels and to the file, in one pass over its structure and
 * without decoding it. Metadata and what else there is they bound themselves (ADR 15). What is no such file, or is cut
 * short, is left for the decoder to judge; but for a GIF, of which decoders show what there is without complaint.
 * @param path of a file, which is read in pieces
 */
export const boundsFaultOf = (path: string): 'too_complex' | 'broken_image' | undefined => {
  const fd = openSync(path, 'r');
  try {
    const from = piecesOf(fd);
    const start = from(0, 12).toString('latin1', 0, 12);
    if (start.startsWith('GIF8')) return isWholeGif(from) ? undefined : 'broken_image';
    const isTooMuch =
      (start.startsWith('\xff\xd8') && scansOfJpeg(from) > maxScans) ||
      (start.startsWith('RIFF') && framesOfWebp(from) > maxFrames) ||
      (start.startsWith('ftyp', 4) && boxesOfAvif(from) > maxBoxes);
    return isTooMuch ? 'too_complex' : undefined;
  } finally {
    closeSync(fd);
  }
};

/** What there is from a place on: so many bytes at least, unless the file ends. */
type Pieces = (at: number, least: number) => Buffer;

/** Many small reads in a row cost one. */
const piecesOf = (fd: number): Pieces => {
  const { size } = fstatSync(fd);
  const piece = Buffer.alloc(65_536);
  let start = 0;
  let filled = 0;
  return (at, least) => {
    if (at >= size) return piece.subarray(0, 0);
    if (at < start || at + least > start + filled) {
      start = at;
      filled = readSync(fd, piece, 0, piece.length, at);
    }
    return piece.subarray(at - start, filled);
  };
};

/** T.81, B.1: markers, most with a segment whose length is given; what follows a scan's goes on to the next marker. */
const scansOfJpeg = (from: Pieces): number => {
  let scans = 0;
  for (let at = 2; ; ) {
    const piece = from(at, 2);
    if (piece.length < 2) return scans;
    const mark = piece.indexOf(0xff);
    if (mark !== 0) {
      at += mark < 0 ? piece.length : mark;
      continue;
    }
    const marker = piece[1] ?? 0;
    // Filling; what only looks like a marker; one without a segment.
    at += marker === 0xff ? 1 : 2;
    if (marker === 0xff || marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    const length = from(at, 2);
    if (marker === 0xd9 || length.length < 2) return scans;
    if (marker === 0xda) scans += 1;
    at += Math.max(length.readUInt16BE(0), 2);
  }
};

/** Bytes of the colour table that the flags announce (GIF89a, 19 and 21). */
const tableSize = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);

/** GIF89a: a head, then images and extensions, each a row of blocks with their length in front, up to a trailer (27). */
const isWholeGif = (from: Pieces): boolean => {
  const byte = (at: number) => from(at, 1)[0];
  for (let at = 13 + tableSize(byte(10)); ; at += 1) {
    const block = byte(at);
    if (block === 0x2c) at += 11 + tableSize(byte(at + 9));
    else if (block === 0x21) at += 2;
    else return block !== undefined;
    for (let length = byte(at); length; length = byte(at)) at += 1 + length;
  }
};

/** RFC 9649, 2.3: chunks of a name, a length and data, to an even length. */
const framesOfWebp = (from: Pieces): number => {
  let frames = 0;
  for (let at = 12; ; ) {
    const head = from(at, 8);
    if (head.length < 8) return frames;
    const length = head.readUInt32LE(4);
    if (head.toString('latin1', 0, 4) === 'ANMF') frames += 1;
    at += 8 + length + (length % 2);
  }
};

/** ISO/IEC 14496-12, 4.2: each with its length in front; 1: the length follows, in eight bytes; 0: all that is left. */
const boxesOfAvif = (from: Pieces): number => {
  let at = 0;
  for (let boxes = 0; ; boxes += 1) {
    const head = from(at, 16);
    const stated = head.length < 8 ? 0 : head.readUInt32BE(0);
    const length = stated === 1 && head.length >= 16 ? Number(head.readBigUInt64BE(8)) : stated;
    if (length < 8) return boxes;
    at += length;
  }
};
