import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

/** Passes over the coefficients of a progressive JPEG; encoders make ten or so. */
const maxScans = 100;
/** Frames of an animation, each of which a decoder looks at though the first one alone is shown. */
const maxFrames = 10_000;
/** Pieces of text, profiles and the like. */
const maxMetadata = 1_000;
/** Bytes of all of them, inflated. */
const maxMetadataBytes = 16 * 1024 * 1024;

/**
 * Counts what makes decoders work out of proportion to the pixels, in one pass over the structure of a file and without
 * decoding it: scans of a JPEG, frames, and metadata as large as it inflates to. What is no such file, or is cut short,
 * is left for the decoder to judge; but for a GIF, of which decoders show what there is without complaint.
 * @param path of a file, which is read in pieces
 */
export const boundsFaultOf = (path: string): 'too_complex' | 'broken_image' | undefined => {
  const fd = openSync(path, 'r');
  try {
    const counts = { scans: 0, frames: 0, metadata: 0, metadataBytes: 0 };
    for (const { what, size = 0 } of partsOf(piecesOf(fd))) {
      if (what === 'end') return 'broken_image';
      counts[what] += 1;
      counts.metadataBytes += size;
      if (counts.scans > maxScans || counts.frames > maxFrames) return 'too_complex';
      if (counts.metadata > maxMetadata || counts.metadataBytes > maxMetadataBytes) return 'too_complex';
    }
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) return 'broken_image';
    throw error;
  } finally {
    closeSync(fd);
  }
};

interface Part {
  /** `end`: the file ends where it may not. */
  what: 'scans' | 'frames' | 'metadata' | 'end';
  /** Bytes, of metadata. */
  size?: number;
}

interface Pieces {
  /** What there is from a place on: so many bytes at least, unless the file ends. */
  from(at: number, least: number): Buffer;
  /** How much of a length that the file tells is there. */
  within(at: number, length: number): number;
}

const partsOf = (file: Pieces): Iterable<Part> => {
  const start = file.from(0, 12).toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG')) return pngParts(file);
  if (start.startsWith('\xff\xd8')) return jpegParts(file);
  if (start.startsWith('GIF8')) return gifParts(file);
  if (start.startsWith('RIFF')) return webpParts(file);
  if (start.slice(4, 8) === 'ftyp') return avifParts(file);
  return [];
};

const pieceBytes = 65_536;

/** Many small reads in a row cost one. */
const piecesOf = (fd: number): Pieces => {
  const { size } = fstatSync(fd);
  const piece = Buffer.alloc(pieceBytes);
  let start = 0;
  let filled = 0;
  return {
    within: (at, length) => Math.max(0, Math.min(length, size - at)),
    from(at, least) {
      if (at >= size) return piece.subarray(0, 0);
      if (least > pieceBytes) {
        const much = Buffer.alloc(Math.min(least, size - at));
        return much.subarray(0, readSync(fd, much, 0, much.length, at));
      }
      if (at < start || at + least > start + filled) {
        start = at;
        filled = readSync(fd, piece, 0, pieceBytes, at);
      }
      return piece.subarray(at - start, filled);
    },
  };
};

/** Chunks that hold what is seen, or say how (PNG, 11.2). */
const pngPixels = new Set(['IHDR', 'PLTE', 'IDAT', 'fdAT']);

/** PNG, 5.3: length, type, data, checksum. */
function* pngParts(file: Pieces): Iterable<Part> {
  for (let at = 8; ; ) {
    const head = file.from(at, 8);
    if (head.length < 8) return;
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if (type === 'IEND') return;
    if (type === 'fcTL') yield { what: 'frames' };
    else if (!pngPixels.has(type)) {
      const there = file.within(at + 8, length);
      const isMuch = there > maxMetadataBytes;
      const size = isMuch ? there : textSize(type, file.from(at + 8, there).subarray(0, there));
      yield { what: 'metadata', size };
    }
    at += 12 + length;
  }
}

/** How large a chunk is inflated (PNG, 11.3.2.3 and 11.3.3). @throws what zlib says where it does not inflate */
const textSize = (type: string, chunk: Buffer): number => {
  const deflated = deflatedPart(type, chunk);
  if (!deflated) return chunk.length;
  try {
    return inflateSync(deflated, { maxOutputLength: maxMetadataBytes }).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return maxMetadataBytes + 1;
    throw error;
  }
};

const deflatedPart = (type: string, chunk: Buffer): Buffer | undefined => {
  const name = chunk.indexOf(0);
  if (name < 0) return undefined;
  if (type === 'zTXt' || type === 'iCCP') return chunk.subarray(name + 2);
  if (type !== 'iTXt' || chunk[name + 1] !== 1) return undefined;
  const translated = chunk.indexOf(0, chunk.indexOf(0, name + 3) + 1);
  return translated < 0 ? undefined : chunk.subarray(translated + 1);
};

/** T.81, B.1: markers, most with a segment whose length is told; what follows a scan's goes on to the next marker. */
function* jpegParts(file: Pieces): Iterable<Part> {
  for (let at = 2; ; ) {
    const piece = file.from(at, 2);
    if (piece.length < 2) return;
    const mark = piece.indexOf(0xff);
    if (mark !== 0) {
      at += mark < 0 ? piece.length : mark;
      continue;
    }
    const marker = piece[1] ?? 0;
    // Filling; what only looks like a marker; one without a segment.
    at += marker === 0xff ? 1 : 2;
    if (marker === 0xff || marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (marker === 0xd9) return;
    const stated = file.from(at, 2);
    if (stated.length < 2) return;
    const length = stated.readUInt16BE(0);
    if (marker === 0xda) yield { what: 'scans' };
    else if ((marker & 0xf0) === 0xe0 || marker === 0xfe) yield { what: 'metadata', size: file.within(at, length) };
    at += Math.max(length, 2);
  }
}

/** Bytes of the colour table that the flags announce (GIF89a, 19 and 21). */
const tableSize = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);

/** GIF89a: a head, then images and extensions, each a row of blocks with their length in front, up to a trailer (27). */
function* gifParts(file: Pieces): Iterable<Part> {
  const byte = (at: number) => file.from(at, 1)[0];
  for (let at = 13 + tableSize(byte(10)); ; at += 1) {
    const block = byte(at);
    if (block === 0x2c) {
      yield { what: 'frames' };
      at += 11 + tableSize(byte(at + 9));
    } else if (block === 0x21) at += 2;
    else {
      if (block === undefined) yield { what: 'end' };
      return;
    }
    for (let length = byte(at); length; length = byte(at)) at += 1 + length;
  }
}

/** RFC 9649, 2.3: a name, a length, data, to an even length. */
function* webpParts(file: Pieces): Iterable<Part> {
  for (let at = 12; ; ) {
    const head = file.from(at, 8);
    if (head.length < 8) return;
    const length = head.readUInt32LE(4);
    const name = head.toString('latin1', 0, 4);
    if (name === 'ANMF') yield { what: 'frames' };
    else if (!/^(VP8[ LX]|ALPH|ANIM)$/.test(name)) yield { what: 'metadata', size: file.within(at + 8, length) };
    at += 8 + length + (length % 2);
  }
}

/** ISO/IEC 14496-12, 4.2: boxes with their length in front, of which `mdat` holds what is seen. */
function* avifParts(file: Pieces): Iterable<Part> {
  for (let at = 0; ; ) {
    const head = file.from(at, 16);
    if (head.length < 8) return;
    const stated = head.readUInt32BE(0);
    // 1: the length follows, in eight bytes; 0: all that is left.
    const length =
      stated === 1 && head.length >= 16 ? Number(head.readBigUInt64BE(8)) : stated || Number.MAX_SAFE_INTEGER;
    if (head.toString('latin1', 4, 8) !== 'mdat') yield { what: 'metadata', size: file.within(at, length) };
    if (length < 8) return;
    at += length;
  }
}
