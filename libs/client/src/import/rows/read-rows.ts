import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { ImportError } from '../import-error.ts';
import type { Format } from './format.ts';

/** One row as it stands in the file. */
export interface Row {
  /** Where it starts, counted from 1, the header included. */
  line: number;
  cells: string[];
}

// As much as the API takes in one body: a longer row can be no card, and mostly is a quote that nobody closed.
const longestRow = 1024 * 1024;

const decode = (encoding: Format['encoding'], file: string) =>
  async function* (bytes: AsyncIterable<Uint8Array>) {
    const decoder = new TextDecoder(encoding, { fatal: true });
    try {
      for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
      yield decoder.decode();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new ImportError(`${basename(file)} is not ${encoding.toUpperCase()} text; save it as UTF-8`, {
        cause: error,
      });
    }
  };

const count = (cells: string[], pattern: RegExp) =>
  cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);

/**
 * Reads a file row by row, the header first, holding only a few rows in memory. Empty lines are passed over.
 * With tabs a quote is a character like any other (IANA, text/tab-separated-values); otherwise RFC 4180 holds, and a
 * quote inside a field that does not start with one stands for itself.
 * @throws ImportError where the text cannot be decoded or a quoted field never ends
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
    throw new ImportError(
      `${basename(file)} cannot be read after line ${lastLine}: a quote is never closed, or a row is longer than 1 MiB`,
      { cause: error },
    );
  }
}
