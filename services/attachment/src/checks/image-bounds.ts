import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Most scans of a progressive JPEG; encoders make about ten. */
const maxScans = 100;
/** Most frames of a WebP: the decoder reads each, although only the first one is used. */
const maxFrames = 10_000;
/** Most boxes of an AVIF on one level: for each, the decoder reads the file again. */
const maxBoxes = 1_000;

/**
 * Counts what costs a decoder more than pixels and file size suggest, in one pass over the structure and without
 * decoding. Decoders limit metadata and the rest themselves (ADR 15). A file of another format, or one cut short, is
 * left to the decoder, except a GIF, which decoders accept cut short.
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

/** Reads from a place on: at least so many bytes, unless the file ends. */
type Pieces = (at: number, least: number) => Buffer;

/** Reads ahead, so that many small reads cost one. */
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

/** T.81, B.1: markers, most with a segment of a given length; the data of a scan extends to the next marker. */
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
    // A fill byte, an escaped byte, or a marker without a segment.
    at += marker === 0xff ? 1 : 2;
    if (marker === 0xff || marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    const length = from(at, 2);
    if (marker === 0xd9 || length.length < 2) return scans;
    if (marker === 0xda) scans += 1;
    at += Math.max(length.readUInt16BE(0), 2);
  }
};

/** Bytes of the colour table in the flags (GIF89a, 19 and 21). */
const tableSize = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);

/**
 * GIF89a: a head, then images and extensions, each a sequence of blocks with their length in front, up to a trailer
 * (27).
 */
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

/** RFC 9649, 2.3: chunks of a name, a length and data, padded to an even length. */
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

/**
 * ISO/IEC 14496-12, 4.2: boxes with their length in front; 1: the length follows, in eight bytes; 0: up to the end of
 * the file.
 */
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
