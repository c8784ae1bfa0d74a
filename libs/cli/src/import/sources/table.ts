import { createWriteStream, mkdtempSync, openSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { pipeline as copied } from 'node:stream/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { CliError } from '../../errors.ts';
import { type Encoding, encodingOf, textOf } from './encoding.ts';

interface Format {
  encoding: Encoding;
  /** The first line with a value: the header, which is repeated where files were concatenated. */
  first: string;
  delimiter: string;
  /** Whether the first line names the delimiter (`sep=;`, as for Excel) and is not a row. */
  isSaid: boolean;
}

/** One row as it stands in the file. */
export interface Row {
  /** The line where it starts, from 1, including the header. */
  line: number;
  cells: string[];
}

const headerLength = 64 * 1024;
const delimiters = [',', ';', '\t'] as const;

/** The delimiter that occurs most in a header; a comma if none does. */
const delimiterOf = (header: string): string => {
  const bare = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => bare.split(delimiter).length;
  return delimiters.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
};

const systemReasons: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission to read it',
};

const mark = '\ufeff';

/** Removes byte order marks at the start, and at the start of concatenated files; others stay. */
async function* unmarked(
  file: string,
  { encoding, first }: Pick<Format, 'encoding' | 'first'>,
): AsyncGenerator<string> {
  let isStart = true;
  let kept = '';
  for await (const text of textOf(file, encoding)) {
    const bare = (kept + (isStart ? text.replace(/^\ufeff+/, '') : text)).replaceAll(mark + first, first);
    if (text !== '') isStart = false;
    // The rest of a possible mark is in the next chunk.
    const at = bare.indexOf(mark, Math.max(0, bare.length - first.length));
    kept = at === -1 ? '' : bare.slice(at);
    yield at === -1 ? bare : bare.slice(0, at);
  }
  yield kept;
}

const headOf = async (file: string, encoding: Encoding): Promise<string> => {
  let head = '';
  for await (const text of textOf(file, encoding)) {
    head += text;
    if (head.length >= headerLength) break;
  }
  return head.replace(/^\ufeff+/, '');
};

const directive = /^\s*"?sep=(.)"?\s*$/i;

/**
 * Decides the encoding (`encodingOf`), and the delimiter by a first line that names it, else by the file's ending, else by the header.
 * @param said the encoding that the user names
 * @throws CliError where the file cannot be read
 */
export const detectFormat = async (file: string, said?: Encoding): Promise<Format> => {
  try {
    const encoding = await encodingOf(file, said);
    const lines = (await headOf(file, encoding)).split(/\r\n|\n|\r/);
    const delimiter = directive.exec(lines[0] ?? '')?.[1];
    const header = lines.find((line) => /[^\s,;]/.test(line)) ?? '';
    const read = { encoding, first: header };
    if (delimiter !== undefined) return { ...read, delimiter, isSaid: true };
    const isTabbed = ['.tsv', '.tab'].includes(extname(file).toLowerCase());
    return { ...read, delimiter: isTabbed ? '\t' : delimiterOf(header), isSaid: false };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new CliError(`cannot read ${file}: ${systemReasons[code] ?? (error as Error).message}`, { cause: error });
  }
};

// The API's limit of a body: a longer row cannot be a card, and is mostly an unclosed quote.
const longestRow = 1024 * 1024;

const count = (cells: string[], pattern: RegExp) =>
  cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);

/**
 * Reads a file row by row, the header first, with few rows in memory; skips rows without a value. With tabs a
 * quote is an ordinary character (IANA, text/tab-separated-values); otherwise RFC 4180 applies, and a quote inside a
 * field that does not start with one is literal.
 * @throws CliError where the text cannot be decoded or a quoted field never ends
 */
export async function* readRows(file: string, { delimiter, isSaid, ...format }: Format): AsyncGenerator<Row> {
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
  pipeline(unmarked(file, format), parser, (error) => {
    failure = error;
  });
  let isDirective = isSaid;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      countedTwice += count(record, /\r\n/g);
      const isRow = !isDirective && record.some((cell) => cell.trim() !== '');
      isDirective = false;
      if (isRow) yield { line: info.lines - countedTwice - count(record, /\r\n|\n|\r/g), cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw failure ?? error;
    throw new CliError(
      `${basename(file)} cannot be read after line ${lastLine}: a quote is never closed, or a row is longer than 1 MiB`,
      { cause: error },
    );
  }
}

/** A file whose header was read; each iteration reads its rows from the first. */
export type Table = Awaited<ReturnType<typeof openTable>>;

// Standard input is copied, as rows are read twice: to plan and to create cards. A signal at any time removes the copy.
const keepInput = async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      // Unless another handler finishes the work first.
      if (process.listenerCount(signal) === 0) process.exit(128 + constants.signals[signal]);
    });
  const folder = mkdtempSync(join(tmpdir(), 'cardinal-import-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'standard input');
  // Opened at once: a file that appears while the folder is removed would stay.
  await copied(process.stdin, createWriteStream(file, { fd: openSync(file, 'wx') }));
  return { file, close: () => rm(folder, { recursive: true }) };
};

/**
 * Reads the header of a file, or of standard input (`-`).
 * @param encoding the one that the user names
 * @throws CliError where it cannot be read or is empty
 */
export const openTable = async (named: string, encoding: Encoding | undefined) => {
  const { file, close } = named === '-' ? await keepInput() : { file: named, close: async () => {} };
  try {
    const format = await detectFormat(file, encoding);
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

const isSame = (cells: string[], header: string[]) =>
  cells.length === header.length && cells.every((cell, n) => cell.trim() === header[n]?.trim());

/**
 * The rows below the header, in the file's order. A repeated header of several columns is not a row: the file was
 * concatenated from several.
 */
export async function* rowsBelow({ file, format, header }: Table): AsyncGenerator<Row> {
  const rows = readRows(file, format);
  await rows.next();
  for await (const row of rows) if (header.length < 2 || !isSame(row.cells, header)) yield row;
}
