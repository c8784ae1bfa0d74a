import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { CliError } from '../../errors.ts';

/** An encoding, by its name for `TextDecoder`. */
export type Encoding = string;

/** Byte order marks (Unicode 23.8), which the decoder removes. */
const marks: [start: string, encoding: Encoding][] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

const markedBy = (head: Buffer): Encoding | undefined => {
  const start = head.toString('hex', 0, 3);
  return marks.find(([mark]) => start.startsWith(mark))?.[1];
};

/** UTF-16 without a mark: every second byte of what is mostly ASCII is zero. */
const unmarked = (head: Buffer): Encoding | undefined => {
  const zeros = [0, 0];
  for (let n = 0; n < head.length; n += 1) if (head[n] === 0) zeros[n % 2] = (zeros[n % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = head.length / 4;
  if (odd > many && even < odd / 20) return 'utf-16le';
  return even > many && odd < even / 20 ? 'utf-16be' : undefined;
};

/** The letters beside ASCII of languages that are written in Windows-1252. */
const western = ['äöüß', 'àâæçèéêëîïôœùûüÿ', 'áéíñóúü', 'àáâãçéêíóôõúü', 'àèéìíòóùú', 'åäæéöø', 'èéëïóöü'];
/** Those of languages in other code pages, which use the same bytes for other letters. */
const others: [Encoding, string[]][] = [
  ['windows-1250', ['áéíóöúüőű', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'ąćęłńóśźż', 'ăâîşţ', 'čćđšž', 'äöüß']],
  ['windows-1254', ['çğıöşüâîûi']],
  ['windows-1257', ['āčēģīķļņōŗšūž', 'ąčęėįšųūž', 'äõöüšž']],
];

const isLetter = /\p{L}/u;
const decoded = (byte: number, encoding: Encoding) => new TextDecoder(encoding).decode(Uint8Array.of(byte));

/**
 * Whether bytes above ASCII can only be Windows-1252: they are letters of a language that is written in it, and no language
 * with another code page uses only these bytes.
 * @param bytes the bytes that occur
 */
const isCertain = (bytes: ReadonlySet<number>): boolean => {
  const letters = [...bytes].filter((byte) => isLetter.test(decoded(byte, 'windows-1252')));
  const within = (alphabet: string, encoding: Encoding) =>
    letters.every((byte) => alphabet.includes(decoded(byte, encoding).toLowerCase()));
  const reads = (encoding: Encoding) => letters.map((byte) => decoded(byte, encoding)).join('');
  const own = reads('windows-1252');
  return (
    western.some((alphabet) => within(alphabet, 'windows-1252')) &&
    others.every(
      ([encoding, alphabets]) => reads(encoding) === own || !alphabets.some((alphabet) => within(alphabet, encoding)),
    )
  );
};

const isAscii = (byte: number | undefined) => byte !== undefined && /[a-z]/i.test(String.fromCharCode(byte));
const apostrophe = 0x92;

const longestRun = 3;

/** The bytes above ASCII of a file; undefined where they are nothing in Windows-1252, signs within words, or whole words. */
const bytesAbove = async (file: string): Promise<Set<number> | undefined> => {
  const found = new Set<number>();
  let before: number | undefined;
  let run = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (const [n, byte] of chunk.entries()) {
      run = byte >= 0x80 ? run + 1 : 0;
      if (run > longestRun) return undefined;
      if (run > 0) {
        found.add(byte);
        const isSign = !isLetter.test(decoded(byte, 'windows-1252'));
        if (isSign && byte !== apostrophe && isAscii(before) && isAscii(chunk[n + 1])) return undefined;
      }
      before = byte;
    }
  }
  const unused = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
  return unused.some((byte) => found.has(byte)) ? undefined : found;
};

const isUtf8 = async (file: string): Promise<boolean> => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
};

const headBytes = 64 * 1024;

const headOf = async (file: string): Promise<Buffer> =>
  Buffer.concat(await createReadStream(file, { end: headBytes - 1 }).toArray());

/**
 * Decides the encoding of a file: by its byte order mark, else what the user says, else what is detected.
 * @throws CliError if it is none of these; the system's error if the file cannot be read
 */
export const encodingOf = async (file: string, said: Encoding | undefined): Promise<Encoding> => {
  const head = await headOf(file);
  const marked = markedBy(head);
  if (marked || said === undefined) return marked ?? detectEncoding(file);
  // Its delimiters and line ends would have zeros.
  if (said.startsWith('utf-16') && !head.includes(0)) {
    throw new CliError(`${basename(file)} is not ${said.toUpperCase()} text; name another one with --encoding`);
  }
  return said;
};

/** Whether the user names an encoding of a file that is UTF-8 text, and not ASCII alone. */
export const isUtf8After = async (file: string, said: Encoding): Promise<boolean> =>
  said !== 'utf-8' && !said.startsWith('utf-16') && (await isUtf8(file)) && (await bytesAbove(file))?.size !== 0;

/**
 * Detects the encoding of a file: by its mark, UTF-16 by its zeros, UTF-8, or Windows-1252 if that is certain.
 * @throws CliError if it is another one; the system's error if the file cannot be read
 */
export const detectEncoding = async (file: string): Promise<Encoding> => {
  const head = await headOf(file);
  const wide = markedBy(head) ?? unmarked(head);
  if (wide) return wide;
  if (await isUtf8(file)) return 'utf-8';
  const above = await bytesAbove(file);
  if (above && isCertain(above)) return 'windows-1252';
  throw new CliError(
    `${basename(file)} is not UTF-8 text; save it as UTF-8, or name what it is written in, such as --encoding windows-1252`,
  );
};

/** Decodes a file in chunks. @throws CliError if it is not of that encoding */
export async function* textOf(file: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(
      `${basename(file)} is not ${encoding.toUpperCase()} text; name another encoding with --encoding, or save it as UTF-8`,
      {
        cause: error,
      },
    );
  }
}
