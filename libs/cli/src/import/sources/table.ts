import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { pipeline as copied } from 'node:stream/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { CliError } from '../../errors.ts';

interface Format {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  delimiter: ',' | ';' | '\t';
}

/** One row as it stands in the file. */
export interface Row {
  /** Where it starts, counted from 1, the header included. */
  line: number;
  cells: string[];
}

const headerBytes = 64 * 1024;
const delimiters = [',', ';', '\t'] as const;

/** The delimiter that occurs most in a header; a comma where none does. */
const delimiterOf = (header: string): Format['delimiter'] => {
  const bare = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => bare.split(delimiter).length;
  return delimiters.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
};

/** Byte order marks of UTF-16 (Unicode 23.8); that of UTF-8 is the decoder's to take off. */
const marks: Record<string, Format['encoding']> = { fffe: 'utf-16le', feff: 'utf-16be' };

const systemReasons: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission to read it',
};

/**
 * The encoding by the byte order mark (Excel writes UTF-16), the delimiter by the file's ending or else by the header.
 * @throws CliError where the file cannot be read
 */
export const detectFormat = async (file: string): Promise<Format> => {
  try {
    const head: Buffer = Buffer.concat(await createReadStream(file, { end: headerBytes - 1 }).toArray());
    const encoding = marks[head.toString('hex', 0, 2)] ?? 'utf-8';
    const [header = ''] = new TextDecoder(encoding).decode(head).split(/\r\n|\n|\r/, 1);
    return { encoding, delimiter: ['.tsv', '.tab'].includes(extname(file).toLowerCase()) ? '\t' : delimiterOf(header) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new CliError(`cannot read ${file}: ${systemReasons[code] ?? (error as Error).message}`, { cause: error });
  }
};

// As much as the API takes in one body: a longer row cannot be a card, and mostly means a quote that was not closed.
const longestRow = 1024 * 1024;

const decode = (encoding: Format['encoding'], file: string) =>
  async function* (bytes: AsyncIterable<Uint8Array>) {
    const decoder = new TextDecoder(encoding, { fatal: true });
    try {
      for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
      yield decoder.decode();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new CliError(`${basename(file)} is not ${encoding.toUpperCase()} text; save it as UTF-8`, {
        cause: error,
      });
    }
  };

const count = (cells: string[], pattern: RegExp) =>
  cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);

/**
 * Reads a file row by row, the header first, holding only a few in memory; empty lines are passed over. With tabs a
 * quote is a character like any other (IANA, text/tab-separated-values); otherwise RFC 4180 holds, and a quote inside a
 * field that does not start with one stands for itself.
 * @throws CliError where the text cannot be decoded or a quoted field never ends
 */
export async function* readRows(file: string, { encoding, delimiter }: Format): AsyncGenerator<Row> {
  let lastLine = 0;
  // The parser counts a CRLF inside quotes as two lines.
  let countedTwice = 0;
  const parser = parse({
    delimiter,
    quote: delimiter === '\t' ? null : '"',
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: longestRow,
    info: true,
    on_record: (row, { lines }) => {
      lastLine = lines;
      return row;
    },
  });
  let failure: unknown;
  pipeline(createReadStream(file), decode(encoding, file), parser, (error) => {
    failure = error;
  });
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      countedTwice += count(record, /\r\n/g);
      yield { line: info.lines - countedTwice - count(record, /\r\n|\n|\r/g), cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw failure ?? error;
    throw new CliError(
      `${basename(file)} cannot be read after line ${lastLine}: a quote is never closed, or a row is longer than 1 MiB`,
      { cause: error },
    );
  }
}

/** A file whose header was read; each use reads its rows again from the first. */
export type Table = Awaited<ReturnType<typeof openTable>>;

// The rows are read twice, to judge them and to make cards of them; standard input can be read once. A signal finds its copy,
// however soon it comes.
const keepInput = async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      // Unless somebody else ends what is in hand first.
      if (process.listenerCount(signal) === 0) process.exit(128 + constants.signals[signal]);
    });
  const folder = mkdtempSync(join(tmpdir(), 'cardinal-import-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'standard input');
  await copied(process.stdin, createWriteStream(file));
  return { file, close: () => rm(folder, { recursive: true }) };
};

/** Reads the header of a file, or of standard input (`-`). @throws CliError where it cannot be read or is empty */
export const openTable = async (named: string) => {
  const { file, close } = named === '-' ? await keepInput() : { file: named, close: async () => {} };
  try {
    const format = await detectFormat(file);
    const rows = readRows(file, format);
    const first = await rows.next();
    await rows.return(undefined);
    if (first.done) throw new CliError(`${file} is empty`);
    return { file, format, header: first.value.cells, /** Removes the copy of standard input. */ close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** The rows below the header, in the file's order. */
export async function* rowsBelow({ file, format }: Table): AsyncGenerator<Row> {
  const rows = readRows(file, format);
  await rows.next();
  yield* rows;
}
