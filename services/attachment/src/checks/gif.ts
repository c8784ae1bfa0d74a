import { createReadStream } from 'node:fs';

const image = 0x2c;
const extension = 0x21;

/** Bytes of the colour table that the flags announce. */
const tableSize = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);

/** Walks over the blocks of a GIF: takes a byte, says how many to skip to the next one it needs, ends where they end. */
function* blocks(): Generator<number, void, number> {
  const flags = yield 10;
  let skip = 2 + tableSize(flags);
  for (;;) {
    const block = yield skip;
    if (block === image) skip = tableSize(yield 8) + 1;
    else if (block === extension) skip = 1;
    // Past the trailer, and past what is none of these, no decoder reads on.
    else return;
    for (let length = yield skip; length > 0; ) length = yield length;
    skip = 0;
  }
}

/**
 * Whether a GIF goes on to its trailer (GIF89a, 27). Decoders show what there is of one that was cut short between two
 * frames, without complaint.
 */
export const isWholeGif = async (path: string): Promise<boolean> => {
  const walk = blocks();
  let skip = walk.next().value as number;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let at = skip;
    while (at < chunk.length) {
      const step = walk.next(chunk[at] as number);
      if (step.done) return true;
      at += 1 + step.value;
    }
    skip = at - chunk.length;
  }
  return false;
};
